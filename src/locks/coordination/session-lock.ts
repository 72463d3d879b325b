import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { checkAcquire } from '../arguments.js';
import { bounded } from '../bounded.js';
import { LockLost, LockTimeout } from '../errors.js';
import { type GrantFacts, HeldLease } from '../held-lease.js';
import { LocalLock } from '../local-lock.js';
import { type AcquireOptions, type Lease, Lock } from '../lock.js';
import { type Renewable } from '../renewals.js';
import { isClosed, isOpen } from './calls.js';
import { type Ahead, type Session, type Standing } from './session.js';
import { type OpenSession, Sessions, type StateListener } from './sessions.js';

/** A lost watch delays a waiter by no more than this: then the waiter reads the queue again. */
const LONGEST_WAIT_MS = 1000;
/** How long a call to the service may take at most. */
const CALL_MS = 1000;

interface Waiting {
  readonly session: Session;
  readonly key: string;
  readonly name: string;
  readonly giveUpAt: number;
  readonly signal: AbortSignal | undefined;
  /** Whether the service has confirmed that the place exists. */
  answered: boolean;
}

/**
 * A lock with a queue that a coordination service keeps. Each place watches the place ahead of it and no other, so that a
 * release wakes one waiter. A process has one place per key: its other callers queue locally, first come, first served,
 * and processes take turns. A place costs the service two writes to its disk, a local waiter costs nothing; many callers
 * that time out and retry would otherwise overload the service.
 *
 * One session owns all places of this object, and is its watchdog. The holder itself enforces a `leaseMs`: it releases the
 * lock when the time is over. A holder that is paused keeps the lock until its session ends.
 */
export abstract class SessionLock extends Lock {
  private readonly sessions: Sessions;
  private readonly line = new LocalLock();

  constructor(open: OpenSession, onChange?: StateListener) {
    super();
    this.sessions = new Sessions(open, onChange);
    isOpen(this.sessions);
  }

  /** Whether the service answered the last call. False before `start`. */
  get up(): boolean {
    return this.sessions.up;
  }

  /** Connects before the first lock is needed. It does not reject when the service does not answer: that is retried. */
  start(): Promise<void> {
    return this.sessions.start();
  }

  /** Ends the session, and with it all its locks. */
  close(): Promise<void> {
    isClosed(this.sessions);
    return this.sessions.close();
  }

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    checkAcquire(key, options);
    const { signal } = options;
    const started = performance.now();
    const answerBy = started + options.waitMs + CALL_MS;
    // No caller waits in line for a service that does not answer.
    await bounded(this.sessions.take(), answerBy, signal);
    const waitMs = Math.max(0, options.waitMs - (performance.now() - started));
    const turn = await this.line.acquire(key, { waitMs, signal });
    try {
      const session = await bounded(this.sessions.take(), answerBy, signal);
      return await this.acquireIn(session, key, options, started, turn);
    } catch (error) {
      await turn.release();
      throw error;
    }
  }

  private async acquireIn(
    session: Session,
    key: string,
    { waitMs, signal, leaseMs }: AcquireOptions,
    started: number,
    turn: Lease,
  ): Promise<Lease> {
    signal?.throwIfAborted();
    const name = randomUUID();
    const waiting: Waiting = { session, key, name, giveUpAt: started + waitMs, signal, answered: false };
    try {
      const { token, attempts } = await this.queueUp(waiting, started);
      const end = leaseMs === undefined ? Infinity : performance.now() + leaseMs;
      const facts = { key, token, attempts, waitedMs: performance.now() - started };
      return lease(waiting, facts, end, turn);
    } catch (error) {
      // Also when it was granted, but the answer was lost, late or not wanted any more.
      const left = session.leave(key, name, waiting.answered);
      await bounded(left, performance.now() + CALL_MS).catch(() => undefined);
      signal?.throwIfAborted();
      throw error;
    }
  }

  private async queueUp(waiting: Waiting, started: number): Promise<{ token: bigint; attempts: number }> {
    const { session, key, name, giveUpAt, signal } = waiting;
    let standing = await this.persist(waiting, () => session.enter(key, name));
    waiting.answered = true;
    for (let attempts = 1; ; attempts += 1) {
      signal?.throwIfAborted();
      const { token, ahead } = standing;
      if (!ahead) {
        // A grant to a session that cannot be proven any more does not count.
        if (session.deadline <= performance.now()) throw new LockLost();
        return { token, attempts };
      }
      const now = performance.now();
      if (now >= giveUpAt) throw new LockTimeout(now - started);
      await change(waiting, ahead, Math.min(giveUpAt - now, LONGEST_WAIT_MS));
      signal?.throwIfAborted();
      // A wake-up is not a grant: read the queue again.
      standing = await this.persist(waiting, () => session.look(key, name, token));
    }
  }

  /** Repeats an unanswered call as soon as the service answers again, while the caller waits. */
  private async persist(
    { session, giveUpAt, signal }: Waiting,
    ask: () => Promise<Standing>,
  ): Promise<Standing> {
    for (;;) {
      try {
        // An etcd call may have to log in first, which has a longer limit of its own.
        return await bounded(ask(), Math.max(giveUpAt, performance.now()) + CALL_MS);
      } catch (error) {
        if (error instanceof LockLost) throw error;
        this.sessions.doubt();
        if (!(await this.sessions.answersBy(giveUpAt, signal)) || session.over) throw error;
      }
    }
  }
}

/** Waits until the place ahead may be gone, the session is no longer proven, the caller aborts, or the time is over. */
function change({ session, signal }: Waiting, ahead: Ahead, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const stops: (() => void)[] = [];
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      for (const stop of stops) stop();
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake);
    stops.push(session.onInterruption(wake), ahead.watch(wake));
  });
}

function lease(
  { session, key, name }: Waiting,
  facts: Omit<GrantFacts, 'deadline'>,
  end: number,
  turn: Lease,
): Lease {
  const sessionLease: Renewable = {
    extend: (deadline) => {
      held.extend(deadline);
    },
    lose: () => {
      held.lose();
    },
  };
  let left: Promise<boolean> | undefined;
  // All leases end by one timer, which another caller may have set: what is sent then belongs to the caller of this lease.
  const leave = AsyncResource.bind(() => {
    session.leases.delete(sessionLease);
    return (left ??= session.leave(key, name, true).finally(() => turn.release()));
  });
  session.leases.add(sessionLease);
  // Also called when the lease ends: the signal is aborted before the next holder gets the lock.
  const held = new HeldLease({ ...facts, deadline: Math.min(session.deadline, end), end }, leave, () => {
    void leave();
  });
  return held;
}
