import { ReentrantLock } from '../exclusive/reentrant-lock.js';
import { type RedisClient } from './connect.js';
import { DEFAULT_WATCHDOG_MS, RedisExclusiveEngine, type RedisLockOptions } from './exclusive-engine.js';

/**
 * A lock that its holder may acquire again, like Redisson's. Redisson counts the entries in Redis; here the process counts
 * them, so that a second entry costs no round trip. In Redis it is the same as a `RedisLock`: with the same prefix, the two
 * exclude each other on the same key.
 */
export class ReentrantRedisLock extends ReentrantLock {
  constructor(client: RedisClient, options: RedisLockOptions = {}) {
    super(new RedisExclusiveEngine(client, options), options.watchdogMs ?? DEFAULT_WATCHDOG_MS);
  }
}
