import { type Lease, LockLost, type RedisClient } from '../../../src/locks/index.js';
import { type Defect } from './planted-lock.js';

const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

interface Owned {
  readonly name: string;
  readonly owner: string;
  readonly leaseMs: number;
  readonly defect: Defect;
}

interface Facts extends Pick<Lease, 'key' | 'token' | 'attempts' | 'waitedMs'> {
  readonly asked: number;
}

/** The lease of a PlantedLock, with the part of the defect that shows after the grant. */
export class PlantedLease implements Lease {
  readonly key: string;
  readonly token: bigint | undefined;
  readonly attempts: number;
  readonly waitedMs: number;
  private readonly deadline: number;
  private readonly lost = new AbortController();
  private released = false;

  constructor(
    private readonly client: RedisClient,
    private readonly owned: Owned,
    facts: Facts,
  ) {
    ({ key: this.key, token: this.token, attempts: this.attempts, waitedMs: this.waitedMs } = facts);
    const factor = owned.defect === 'leases outlive the key' ? 3 : 1;
    this.deadline = facts.asked + factor * owned.leaseMs;
  }

  get signal(): AbortSignal {
    if (this.remaining() === 0) this.lost.abort(new LockLost());
    return this.lost.signal;
  }

  remaining(): number {
    return this.released ? 0 : Math.max(0, this.deadline - performance.now());
  }

  async release(): Promise<boolean> {
    const { name, owner, leaseMs, defect } = this.owned;
    const held = this.remaining() > 0;
    this.released = true;
    if (defect === 'release throws') throw new Error('The release failed.');
    if (defect === 'renewal never stops') {
      this.renewUntilClosed(name, leaseMs);
      return held;
    }
    const script =
      defect === 'release deletes the key of any owner' ? `return redis.call('DEL', KEYS[1])` : RELEASE;
    const freed = await this.client.eval(script, 1, name, owner).catch(() => 0);
    return held && freed === 1;
  }

  private renewUntilClosed(name: string, leaseMs: number): void {
    const timer = setInterval(() => {
      if (this.client.status === 'end') clearInterval(timer);
      else this.client.pexpire(name, leaseMs).catch(() => undefined);
    }, leaseMs / 3);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
