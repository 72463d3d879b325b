import { ReentrantLock } from '../exclusive/reentrant-lock.js';
import { type RedisClient } from './connect.js';
import { DEFAULT_WATCHDOG_MS, RedisExclusiveEngine, type RedisLockOptions } from './exclusive-engine.js';

/**
 * A lock that its holder may acquire again, as Redisson's. Redisson counts the entries in Redis; here they are counted
 * in the process, so that entering and leaving again costs no round trip. In Redis it is a `RedisLock`: on the same
 * key with the same prefix the two exclude each other.
 */
export class ReentrantRedisLock extends ReentrantLock {
  constructor(client: RedisClient, options: RedisLockOptions = {}) {
    super(new RedisExclusiveEngine(client, options), options.watchdogMs ?? DEFAULT_WATCHDOG_MS);
  }
}
