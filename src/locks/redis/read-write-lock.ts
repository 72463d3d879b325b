import { type Lease, type Lock } from '../lock.js';
import { type RedisClient } from './connect.js';
import { LockQueue, type QueueOptions } from './lock-queue.js';
import { QueueLeases } from './queue-leases.js';
import { QueuedLock } from './queued-lock.js';

/**
 * Many readers or one writer. All enter in the order in which they came, so that a waiting writer stops the readers
 * who come after it, and they in turn are not starved by the writers after them. Each reader has a lease of its own:
 * one that dies keeps a writer out until that lease ends, and disturbs no other reader.
 *
 * A reader must not ask for the write lock of the same key: it would wait for itself. The other way there is
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
   * Makes a read lease of a write lease in one step, so that its holder can go on reading what it has written: other
   * readers come in, no writer does. The write lease has ended then; releasing it again answers false.
   *
   * @throws LockLost when it had ended before
   */
  downgrade(lease: Lease): Promise<Lease> {
    return this.leases.downgrade(lease);
  }

  /** How many read now, in all processes. */
  readers(key: string): Promise<number> {
    return this.queue.readers(key);
  }

  /** Closes the subscriber's connection and stops the watchdog: leases that are still held expire. */
  close(): void {
    this.leases.close();
    this.queue.close();
  }
}
