import { LockTimeout } from '../errors.js';
import { type AcquireOptions, type Lease, Lock } from '../lock.js';
import { type LockQueue, type Role } from './lock-queue.js';
import { type QueueLeases } from './queue-leases.js';
import { replicated } from './replicas.js';
import { type Listener } from './wakeups.js';

/**
 * A lock whose callers queue up in Redis, each in its own name, wherever they run. Who waits asks again when it is
 * called, and otherwise at every beat: the question is the heartbeat, and no lost message costs more than a beat.
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
    options.signal?.throwIfAborted();
    const member = this.queue.newMember(this.role);
    try {
      return await this.queueUp(key, member, options);
    } catch (error) {
      // Also when it was granted, but the answer was lost, late or unwelcome.
      const left = this.queue.leave(key, member).catch(() => false);
      // Where Redis does not answer, nobody is kept waiting until it does not answer again.
      if (error instanceof LockTimeout || options.signal?.aborted) await left;
      throw error;
    }
  }

  private async queueUp(
    key: string,
    member: string,
    { waitMs, leaseMs, signal }: AcquireOptions,
  ): Promise<Lease> {
    const { queue } = this;
    const started = performance.now();
    const length = leaseMs ?? queue.watchdogMs;
    let listener: Listener | undefined;
    try {
      for (let attempts = 1; ; attempts += 1) {
        // Read before the command is sent: a clock read after the answer would promise too much.
        const asked = performance.now();
        const outcome = await queue.enter(key, member, length, waitMs > 0);
        if (outcome.granted) await replicated(queue.client, queue.options.replicas);
        signal?.throwIfAborted();
        const waitedMs = performance.now() - started;
        if (outcome.granted) {
          // A reader writes nothing that a token could fence.
          const token = this.role === 'writer' ? outcome.token : undefined;
          const facts = { key, token, attempts, waitedMs, deadline: asked + length };
          return this.leases.handOut({ member, leaseMs }, facts);
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
