import { checkAcquire } from '../arguments.js';
import { bounded } from '../bounded.js';
import { LockLost, LockTimeout } from '../errors.js';
import { type Listener } from '../exclusive/engine.js';
import { type AcquireOptions, type Lease, Lock } from '../lock.js';
import { type LockQueue, type Role } from './lock-queue.js';
import { type Holding, type QueueLeases } from './queue-leases.js';

/** How long an aborted caller waits at most until its place in the queue has been withdrawn. */
const WITHDRAW_MS = 100;

/**
 * A lock whose callers queue in Redis, each under its own name, whatever process they run in. A waiter asks again when it
 * is called, and otherwise at every heartbeat: a lost message delays it by no more than that.
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
    const holding: Holding = { member: this.queue.newMember(this.role), leaseMs };
    try {
      return await this.queueUp(key, holding, options);
    } catch (error) {
      // Also when it was granted, but the answer was lost, late or not wanted any more.
      const left = this.leases.leave(key, holding);
      // Where Redis does not answer, the caller does not wait for a second timeout.
      if (error instanceof LockTimeout) await left;
      else if (signal?.aborted) await bounded(left, performance.now() + WITHDRAW_MS).catch(() => undefined);
      throw error;
    }
  }

  private async queueUp(
    key: string,
    holding: Holding,
    { waitMs, leaseMs, signal }: AcquireOptions,
  ): Promise<Lease> {
    const { queue } = this;
    const { member } = holding;
    const started = performance.now();
    const giveUpAt = started + waitMs;
    const length = leaseMs ?? queue.watchdogMs;
    let listener: Listener | undefined;
    try {
      for (let attempts = 1; ; attempts += 1) {
        // Read before the command is sent: a clock read after the answer would promise too much.
        const asked = performance.now();
        const answerBy = Math.max(giveUpAt, asked) + queue.commandTimeoutMs;
        const outcome = await bounded(queue.enter(key, member, length, waitMs > 0), answerBy, signal);
        signal?.throwIfAborted();
        const now = performance.now();
        const waitedMs = now - started;
        if (outcome.granted) {
          if (now >= asked + length) throw new LockLost();
          // A reader writes nothing that a token could fence.
          const token = this.role === 'writer' ? outcome.token : undefined;
          return this.leases.handOut(holding, { key, token, attempts, waitedMs, deadline: asked + length });
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
