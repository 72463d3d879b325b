import { type Lease, type Lock } from '../lock.js';
import { type RedisClient } from './connect.js';
import { LockQueue, type QueueOptions } from './lock-queue.js';
import { QueueLeases } from './queue-leases.js';
import { QueuedLock } from './queued-lock.js';

/**
 * Many readers or one writer. All enter in the order of their arrival, so a waiting writer blocks later readers, and later
 * writers do not overtake these readers. Each reader has its own lease: a reader that crashes blocks writers until its
 * lease ends, and blocks no reader.
 *
 * A reader must not acquire the write lock of the same key: it would wait for itself. A writer can become a reader:
 * `downgrade`.
 */
export class ReadWriteRedisLock {
  readonly read: Lock;
  readonly write: Lock;
  private readonly queue: LockQueue;
  private readonly leases: QueueLeases;

  constructor(client: RedisClient, options: QueueOptions = {}) {
    this.queue = new LockQueue(client, options);
    this.leases = new QueueLeases(this.queue);
    this.read = new QueuedLock(this.queue, this.leases, 'reader');
    this.write = new QueuedLock(this.queue, this.leases, 'writer');
  }

  /**
   * Converts a write lease into a read lease in one step, so that its holder can read what it has written: other readers
   * can enter, no writer can. The write lease has then ended; releasing it returns false.
   *
   * @throws LockLost when the write lease had ended, or the read lease ended before the answer came
   */
  downgrade(lease: Lease): Promise<Lease> {
    return this.leases.downgrade(lease);
  }

  /** How many readers hold the lock, in all processes. */
  readers(key: string): Promise<number> {
    return this.queue.readers(key);
  }

  /** Closes the subscriber's connection and stops the watchdog: leases that are still held expire. */
  close(): void {
    this.leases.close();
    this.queue.close();
  }
}
