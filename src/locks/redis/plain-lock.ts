import { ExclusiveLock } from '../exclusive/exclusive-lock.js';
import { type RedisClient } from './connect.js';
import { DEFAULT_WATCHDOG_MS, RedisExclusiveEngine, type RedisLockOptions } from './exclusive-engine.js';

/** SET NX PX with an owner, released by compare-and-delete. Not reentrant: a holder that acquires again waits for itself. */
export class RedisLock extends ExclusiveLock {
  constructor(client: RedisClient, options: RedisLockOptions = {}) {
    super(new RedisExclusiveEngine(client, options), options.watchdogMs ?? DEFAULT_WATCHDOG_MS);
  }
}
