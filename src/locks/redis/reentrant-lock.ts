import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { LockLost } from '../errors.js';
import { type AcquireOptions, type Lease } from '../lock.js';
import { type Attempt, type Freed, RedisExclusiveLock } from './exclusive-lock.js';
import { Script } from './script.js';
import { type Tenure, TenureLease } from './tenure.js';

const ACQUIRE = new Script<[granted: 0 | 1, value: number]>(
  new URL('reentrant-acquire.lua', import.meta.url),
);
const RENEW = new Script<0 | 1>(new URL('reentrant-renew.lua', import.meta.url));
const RELEASE = new Script<[outcome: 0 | 1 | 2, heard: number]>(
  new URL('reentrant-release.lua', import.meta.url),
);

/** What an async context holds. The same tenure may belong to another holder by the next turn. */
interface Holding {
  readonly tenure: Tenure;
  readonly turn: number;
}

/**
 * A lock that its holder may take again, as Redisson's: a hash of owner and count. The holder is the async context
 * of `using`, never a thread or a process: everything that its work calls, however deep and across awaits, enters
 * at once, and the lock is free when all of them have left. A token is minted on the first entry only.
 */
export class ReentrantRedisLock extends RedisExclusiveLock {
  private readonly context = new AsyncLocalStorage<ReadonlyMap<string, Holding>>();

  override acquire(key: string, options: AcquireOptions): Promise<Lease> {
    const holding = this.context.getStore()?.get(key);
    // Work that outlives its `using` is a caller like any other.
    const inside = holding && holding.tenure.turn === holding.turn && holding.tenure.leases.length > 0;
    return inside ? this.enterAgain(holding.tenure, options) : super.acquire(key, options);
  }

  override using<T>(key: string, options: AcquireOptions, work: (lease: Lease) => Promise<T>): Promise<T> {
    return super.using(key, options, (lease) => {
      if (!(lease instanceof TenureLease)) return work(lease);
      const { tenure } = lease;
      const holdings = new Map(this.context.getStore()).set(key, { tenure, turn: tenure.turn });
      return this.context.run(holdings, () => work(lease));
    });
  }

  private async enterAgain(tenure: Tenure, { leaseMs }: AcquireOptions): Promise<Lease> {
    const asked = performance.now();
    const lease = Math.ceil(Math.max(leaseMs ?? 0, tenure.deadline - asked));
    const entered = await this.attempt(tenure.key, tenure.owner, lease, 0);
    if (!entered.granted) {
      tenure.lose();
      throw new LockLost();
    }
    tenure.extend(asked + lease);
    return this.lease(tenure, 1, asked);
  }

  protected async attempt(key: string, owner: string, leaseMs: number, tokens: number): Promise<Attempt> {
    const [lock, fence] = this.redisKeys(key);
    const args = [owner, randomUUID(), leaseMs, tokens];
    const [granted, value] = await ACQUIRE.run(this.client, [lock, fence], args);
    return granted === 1
      ? { granted: true, token: BigInt(value) }
      : { granted: false, retryMs: Math.max(1, value) };
  }

  protected async renew(key: string, owner: string, leaseMs: number): Promise<boolean> {
    const [lock] = this.redisKeys(key);
    return (await RENEW.run(this.client, [lock], [owner, leaseMs])) === 1;
  }

  protected async free(key: string, owner: string): Promise<Freed> {
    const [lock, , released] = this.redisKeys(key);
    const args = [owner, randomUUID(), this.channel(key)];
    const [outcome, heard] = await RELEASE.run(this.client, [lock, released], args);
    return { held: outcome > 0, heard };
  }
}
