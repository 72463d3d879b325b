import { type RedisClient } from './connect.js';
import { LockQueue, type QueueOptions } from './lock-queue.js';
import { QueueLeases } from './queue-leases.js';
import { QueuedLock } from './queued-lock.js';

/**
 * First come, first served, across processes. Every caller has its own place in the queue in Redis, and only the caller
 * whose turn it is gets a message. That costs a round trip per holder: where order does not matter, `RedisLock` hands a
 * hot key off inside a process and is many times as fast.
 */
export class FairRedisLock extends QueuedLock {
  /** Closes the subscriber's connection and stops the watchdog: leases that are still held expire. */
  readonly close: () => void;

  constructor(client: RedisClient, options: QueueOptions = {}) {
    const queue = new LockQueue(client, options);
    const leases = new QueueLeases(queue);
    super(queue, leases, 'writer');
    this.close = () => {
      leases.close();
      queue.close();
    };
  }
}
