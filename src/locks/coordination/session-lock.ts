import { randomUUID } from 'node:crypto';
import { checkAcquire } from '../arguments.js';
import { bounded } from '../bounded.js';
import { LockLost, LockTimeout } from '../errors.js';
import { type GrantFacts, HeldLease } from '../held-lease.js';
import { LocalLock } from '../local-lock.js';
import { type AcquireOptions, type Lease, Lock } from '../lock.js';
import { type Ahead, type Holding, type Session, type Standing } from './session.js';
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
  /** Has the service said that there is a place of this name? */
  answered: boolean;
}

/**
 * A lock whose callers stand in a queue that a coordination service keeps. Each watches the one before it and no other,
 * so that a release wakes one of them. A process stands there once per key: its other callers stand in line here, first
 * come, first served, and processes take turns. Places cost the service two writes to its disk, waiters in line
 * nothing; a crowd that queued up, lost patience and came again would keep it busy with nothing else.
 *
 * One session stands for all places of this object, and is its watchdog. A lease of the caller's choice is kept by
 * the holder itself: it lets go when the time is over. One that is stopped keeps it until its session ends.
 */
export abstract class SessionLock extends Lock {
  private readonly sessions: Sessions;
  private readonly line = new LocalLock();

  constructor(open: OpenSession, onChange?: StateListener) {
    super();
    this.sessions = new Sessions(open, onChange);
  }

  /** Did the service answer when it was last asked? False before `start`. */
  get up(): boolean {
    return this.sessions.up;
  }

  /** Connects before the first lock is wanted. A service that does not answer is asked again, and is no error here. */
  start(): Promise<void> {
    return this.sessions.start();
  }

  /** Ends the session, and with it all that it holds. */
  close(): Promise<void> {
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
      // Also when it was granted, but the answer was lost, late or unwelcome.
      await session.leave(key, name, waiting.answered);
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
        // Granted in the name of a session that nobody can prove any more is not granted.
        if (session.deadline <= performance.now()) throw new LockLost();
        return { token, attempts };
      }
      const now = performance.now();
      if (now >= giveUpAt) throw new LockTimeout(now - started);
      await change(waiting, ahead, Math.min(giveUpAt - now, LONGEST_WAIT_MS));
      signal?.throwIfAborted();
      // Whatever woke it, only the queue says whose turn it is.
      standing = await this.persist(waiting, () => session.look(key, name, token));
    }
  }

  /** A question that was not answered is asked again when the service answers, as long as the caller waits. */
  private async persist(
    { session, giveUpAt, signal }: Waiting,
    ask: () => Promise<Standing>,
  ): Promise<Standing> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (error instanceof LockLost) throw error;
        this.sessions.doubt();
        if (!(await this.sessions.answersBy(giveUpAt, signal)) || session.over) throw error;
      }
    }
  }
}

/** Waits until the one ahead may have gone, the session is in doubt, the caller goes, or the time is over. */
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
  const holding: Holding = {
    extend: (deadline) => {
      held.extend(deadline);
    },
    lose: () => {
      held.lose();
    },
  };
  let left: Promise<boolean> | undefined;
  const leave = () => {
    session.holdings.delete(holding);
    return (left ??= session.leave(key, name, true).finally(() => turn.release()));
  };
  session.holdings.add(holding);
  // The second way out is for a holder whose time is over: its signal is aborted before anybody else is let in.
  const held = new HeldLease({ ...facts, deadline: Math.min(session.deadline, end), end }, leave, () => {
    void leave();
  });
  return held;
}
