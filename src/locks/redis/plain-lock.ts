import { type Attempt, type Freed, RedisExclusiveLock } from './exclusive-lock.js';
import { Script } from './script.js';

const ACQUIRE = new Script<[granted: 0 | 1, value: number]>(new URL('plain-acquire.lua', import.meta.url));
const RENEW = new Script<0 | 1>(new URL('plain-renew.lua', import.meta.url));
const RELEASE = new Script<[held: 0 | 1, heard: number]>(new URL('plain-release.lua', import.meta.url));

/** SET NX PX with an owner, given back by compare-and-delete. Not reentrant: whoever asks twice waits for itself. */
export class RedisLock extends RedisExclusiveLock {
  protected async attempt(key: string, owner: string, leaseMs: number, tokens: number): Promise<Attempt> {
    const [lock, fence] = this.redisKeys(key);
    const [granted, value] = await ACQUIRE.run(this.client, [lock, fence], [owner, leaseMs, tokens]);
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
    const [held, heard] = await RELEASE.run(this.client, [lock, released], [owner, this.channel(key)]);
    return { held: held === 1, heard };
  }
}
