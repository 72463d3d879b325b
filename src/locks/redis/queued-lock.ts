import { checkAcquire } from '../arguments.js';
import { bounded } from '../bounded.js';
import { LockLost, LockTimeout } from '../errors.js';
import { type Listener } from '../exclusive/engine.js';
import { type AcquireOptions, type Lease, Lock } from '../lock.js';
import { type LockQueue, type Role } from './lock-queue.js';
import { type QueueEntry, type QueueLeases } from './queue-leases.js';

/** How long an aborted caller waits at most until its place in the queue has been withdrawn. */
const WITHDRAW_MS = 100;

/**
 * A lock whose callers queue in Redis, each under its own name, whatever process they run in. A waiter retries when it
 * gets a message that it is its turn, and at every heartbeat: a lost message delays it by one heartbeat at most.
 */
export class QueuedLock extends Lock {
  constructor(
    private readonly queue: LockQueue,
    private readonly leases: QueueLeases,
    private readonly role: Role,
  ) {
    super();
  }

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    checkAcquire(key, options);
    const { signal, leaseMs } = options;
    signal?.throwIfAborted();
    const entry: QueueEntry = { member: this.queue.newMember(this.role), leaseMs };
    try {
      return await this.queueUp(key, entry, options);
    } catch (error) {
      // The lock may have been granted although the answer was lost or late, or the caller has aborted.
      const left = this.leases.leave(key, entry);
      // When Redis does not answer, the caller does not wait for a second timeout.
      if (error instanceof LockTimeout) await left;
      else if (signal?.aborted) await bounded(left, performance.now() + WITHDRAW_MS).catch(() => undefined);
      throw error;
    }
  }

  private async queueUp(
    key: string,
    entry: QueueEntry,
    { waitMs, leaseMs, signal }: AcquireOptions,
  ): Promise<Lease> {
    const { queue } = this;
    const { member } = entry;
    const started = performance.now();
    const giveUpAt = started + waitMs;
    const length = leaseMs ?? queue.watchdogMs;
    let listener: Listener | undefined;
    try {
      for (let attempts = 1; ; attempts += 1) {
        // Read before the command is sent: the lease begins at the server no earlier than this.
        const asked = performance.now();
        const answerBy = Math.max(giveUpAt, asked) + queue.commandTimeoutMs;
        const outcome = await bounded(queue.enter(key, member, length, waitMs > 0), answerBy, signal);
        signal?.throwIfAborted();
        const now = performance.now();
        const waitedMs = now - started;
        if (outcome.granted) {
          if (now >= asked + length) throw new LockLost();
          // A reader does not write, so it needs no token.
          const token = this.role === 'writer' ? outcome.token : undefined;
          return this.leases.handOut(entry, { key, token, attempts, waitedMs, deadline: asked + length });
        }
        if (waitedMs >= waitMs) throw new LockTimeout(waitedMs);
        listener ??= queue.listen(member);
        await listener.wait(Math.min(outcome.retryMs, queue.heartbeatMs / 3, waitMs - waitedMs), signal);
        signal?.throwIfAborted();
      }
    } finally {
      listener?.close();
    }
  }
}
