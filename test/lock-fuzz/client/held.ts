import { setTimeout as sleep } from 'node:timers/promises';
import { type Lease, type MultiLease } from '../../../src/locks/index.js';
import { now } from '../clock.js';
import { type Caller, type Key } from '../plan/plan.js';
import { type ClientLog } from './log.js';

const SAMPLE_MS = 6;
/** JSON has no Infinity. */
const FOREVER_MS = 1e9;
/** A lease that is said to end and does not is not waited for. */
const LONGEST_EXPIRY_MS = 3000;

/** A lease in the hands of a caller: logs the grant, looks at the lease all the while, and releases it. */
export class HeldByCaller {
  constructor(
    private readonly log: ClientLog,
    private readonly call: string,
    private readonly lease: Lease,
    private readonly caller: Caller,
    name: (key: Key) => string,
  ) {
    for (const key of caller.keys)
      log.call(call, {
        type: 'granted',
        key,
        token: tokenOf(lease, name(key)),
        remaining: this.remaining(),
        overdueMs: overdueMs(lease),
      });
    this.sample();
  }

  /** Under-approximates the hold: the time is read before the lease is. */
  sample(): boolean {
    const at = now();
    const remaining = this.remaining();
    const valid = remaining > 0 && !(this.caller.readsSignal && this.lease.signal.aborted);
    this.log.call(this.call, { type: 'sample', valid, remaining }, at);
    return valid;
  }

  async hold(ms: number): Promise<void> {
    const until = now() + ms;
    while (now() < until) {
      await sleep(Math.max(1, Math.min(SAMPLE_MS, until - now())));
      if (!this.sample()) return;
    }
  }

  async untilItEnds(): Promise<void> {
    if (this.caller.leaseMs === undefined) return;
    await this.hold(Math.min(this.caller.leaseMs + 1000, LONGEST_EXPIRY_MS));
  }

  /** The last look of the work inside `using`. */
  workEnded(threw: boolean): void {
    const at = now();
    const remaining = this.remaining();
    const valid = remaining > 0 && !this.lease.signal.aborted;
    this.log.call(this.call, { type: 'work ended', threw, valid, remaining }, at);
  }

  async release(): Promise<void> {
    this.log.call(this.call, { type: 'release called' });
    try {
      if (this.caller.via === 'await using') {
        await this.lease[Symbol.asyncDispose]();
        this.log.call(this.call, { type: 'release answered' });
      } else {
        const held = await this.lease.release();
        this.log.call(this.call, { type: 'release answered', held });
      }
    } catch (error) {
      this.log.call(this.call, { type: 'release threw', message: String(error) });
    }
  }

  private remaining(): number {
    return Math.min(FOREVER_MS, this.lease.remaining());
  }
}

function tokenOf(lease: Lease, key: string): string | undefined {
  const token = 'tokens' in lease ? (lease as MultiLease).tokens.get(key) : lease.token;
  return token?.toString();
}

function overdueMs(lease: Lease): number | undefined {
  const overdue = performance.now() - deadlineOf(lease);
  return overdue >= 0 ? overdue : undefined;
}

/** By performance.now(); Infinity where the lease has none. */
function deadlineOf(
  lease: Lease & { readonly deadline?: number; readonly leases?: readonly Lease[] },
): number {
  return Math.min(lease.deadline ?? Infinity, ...(lease.leases ?? []).map(deadlineOf));
}
