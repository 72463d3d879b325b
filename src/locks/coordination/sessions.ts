import { AsyncResource } from 'node:async_hooks';
import { type Session } from './session.js';

/** Opens a session. The session calls `doubt` when it notices a problem by itself. */
export type OpenSession = (doubt: () => void) => Promise<Session>;

/** Called when the service starts or stops answering, with the cause. */
export type StateListener = (up: boolean, cause?: unknown) => void;

/** The pause before a retry while the service does not answer. It grows by this each time, up to a second. */
const RETRY_MS = 200;
const LONGEST_RETRY_MS = 1000;

/** There is no session: the service does not answer. */
export class NoSession extends Error {
  constructor(cause?: unknown) {
    super('The coordination service does not answer.', { cause });
  }
}

/**
 * Keeps one session alive: renews it every third of its timeout, and opens another when it is over. This is the watchdog
 * of all leases.
 */
export class Sessions {
  private current: Session | undefined;
  private isUp = false;
  private closed = false;
  private failure: unknown;
  private failures = 0;
  private reported: boolean | undefined;
  private timer: NodeJS.Timeout | undefined;
  private asking: Promise<void> | undefined;
  private started: Promise<void> | undefined;
  private readonly waiting = new Set<() => void>();
  /** The session belongs to all callers, and not to the one whose call has renewed it. */
  private readonly context = new AsyncResource('lock session');

  constructor(
    private readonly open: OpenSession,
    private readonly changed: StateListener = () => undefined,
  ) {}

  /** Whether the service answered the last call. */
  get up(): boolean {
    return !this.closed && this.isUp && this.current?.over === false;
  }

  /** Starts to connect. Resolves when the first attempt has succeeded or failed; attempts go on until `close`. */
  start(): Promise<void> {
    return (this.started ??= this.ask());
  }

  /** The session, proven at this moment. Fails at once while the service does not answer. */
  async take(): Promise<Session> {
    await this.start();
    // A session that is not proven, or that a paused process may have lost, is renewed first. After a failed renewal,
    // further callers fail at once instead of waiting for the next one.
    if (!this.isProven() && this.failures === 0) await this.ask();
    if (!this.current || !this.isProven()) throw new NoSession(this.failure);
    return this.current;
  }

  /** A call was not answered: until the service answers again, other callers fail at once. */
  doubt(): void {
    this.isUp = false;
    if (!this.asking) this.askIn(RETRY_MS);
  }

  /** Waits until the service answers again. False when it did not by then, or the caller aborted. */
  async answersBy(giveUpAt: number, signal: AbortSignal | undefined): Promise<boolean> {
    const left = giveUpAt - performance.now();
    if (left <= 0 || signal?.aborted) return false;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        this.waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, left);
      signal?.addEventListener('abort', end);
      this.waiting.add(end);
    });
    return this.up && !signal?.aborted;
  }

  /** Resolves when every message that the service has sent so far was handled. */
  async caughtUp(): Promise<void> {
    // While the service does not answer, no caller has anything to wait for.
    if (this.failures > 0) return;
    await this.asking;
    await this.current?.caughtUp();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.failure = new Error('The lock was closed.');
    clearTimeout(this.timer);
    await this.asking;
    await this.current?.close();
    this.current = undefined;
  }

  private isProven(): boolean {
    return this.up && this.current !== undefined && this.current.deadline > performance.now();
  }

  private ask(): Promise<void> {
    // A session that a late caller opened would never be closed.
    if (this.closed) return Promise.resolve();
    return (this.asking ??= this.context
      .runInAsyncScope(() => this.renewOrOpen())
      .finally(() => {
        this.asking = undefined;
      }));
  }

  private async renewOrOpen(): Promise<void> {
    clearTimeout(this.timer);
    try {
      if (this.current?.over !== false || !(await this.current.prove())) await this.reopen();
      this.isUp = true;
      for (const wake of [...this.waiting]) wake();
    } catch (error) {
      this.failure = error;
      this.isUp = false;
    }
    this.failures = this.up ? 0 : this.failures + 1;
    const pause = Math.min(LONGEST_RETRY_MS, RETRY_MS * this.failures);
    this.askIn(this.up && this.current ? this.current.timeoutMs / 3 : pause);
    this.report();
  }

  private report(): void {
    const { up } = this;
    if (up !== this.reported && !this.closed) this.changed(up, up ? undefined : this.failure);
    this.reported = up;
  }

  private async reopen(): Promise<void> {
    const ended = this.current;
    this.current = undefined;
    // Its stream of watches would stay open as long as the lock.
    await ended?.close().catch(() => undefined);
    this.current = await this.open(() => {
      this.doubt();
    });
  }

  private askIn(ms: number): void {
    clearTimeout(this.timer);
    if (this.closed) return;
    this.timer = setTimeout(() => void this.ask(), ms).unref();
  }
}
