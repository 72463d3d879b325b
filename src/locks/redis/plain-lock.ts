import { type Attempt, type Freed, RedisExclusiveLock } from './exclusive-lock.js';
import { Script } from './script.js';

const ACQUIRE = new Script<number>(new URL('plain-acquire.lua', import.meta.url));
const RENEW = new Script<0 | 1>(new URL('plain-renew.lua', import.meta.url));
const RELEASE = new Script<number>(new URL('plain-release.lua', import.meta.url));

const attempted = (answer: number): Attempt =>
  answer > 0 ? { granted: true, token: BigInt(answer) } : { granted: false, retryMs: -answer };
const freed = (heard: number): Freed => ({ held: heard >= 0, heard });

/** SET NX PX with an owner, given back by compare-and-delete. Not reentrant: whoever asks twice waits for itself. */
export class RedisLock extends RedisExclusiveLock {
  protected attempt(key: string, owner: string, leaseMs: number, tokens: number): Promise<Attempt> {
    const [lock, fence] = this.redisKeys(key);
    const args = tokens > 1 ? [owner, leaseMs, tokens] : [owner, leaseMs];
    return ACQUIRE.ask(this.client, [lock, fence], args, attempted);
  }

  protected async renew(key: string, owner: string, leaseMs: number): Promise<boolean> {
    const [lock] = this.redisKeys(key);
    return (await RENEW.run(this.client, [lock], [owner, leaseMs])) === 1;
  }

  protected free(key: string, owner: string): Promise<Freed> {
    const [lock, , released] = this.redisKeys(key);
    return RELEASE.ask(this.client, [lock, released], [owner], freed);
  }
}
