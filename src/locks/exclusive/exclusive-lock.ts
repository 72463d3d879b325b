import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { checkAcquire, checkDurations } from '../arguments.js';
import { bounded } from '../bounded.js';
import { LockLost, LockTimeout } from '../errors.js';
import { HeldLease } from '../held-lease.js';
import { LocalLine, type Turn } from '../local-line.js';
import { type AcquireOptions, type Lease, Lock } from '../lock.js';
import { persist } from '../persist.js';
import { Renewals } from '../renewals.js';
import { sleep } from '../sleep.js';
import { type ExclusiveEngine, type Freed, type Listener } from './engine.js';
import { type HandOff, Hold, Tenure } from './tenure.js';

/** A local waiter may get the lock without a round trip, within these limits: other processes must get their turn. */
const MAX_PASSES = 32;
const MAX_PASSING_MS = 50;
/** After a long tenure this process waits for this time before it contends again, so that other processes go first. */
const OTHERS_FIRST_MS = 3;
/** The longest time between two attempts: a message may have been lost. */
const LONGEST_WAIT_MS = 1000;
/** How long an aborted caller waits at most until its attempt has been withdrawn. */
const WITHDRAW_MS = 100;

/**
 * A lock with one holder at a time, over any engine with three calls: attempt, renew, free.
 *
 * A waiter tries, subscribes, tries again, and waits at most as long as the holder's lease. Of the callers of a process, one
 * per key contends in the engine; the others queue here, first come, first served. All state of a key is handed on with
 * the turn at the head of its line, so that no key can affect another one.
 */
export class ExclusiveLock extends Lock {
  private readonly clientId = randomUUID();
  private tries = 0;
  private readonly line = new LocalLine<HandOff>();
  private readonly renewals: Renewals<Tenure>;
  private readonly closing = new AbortController();

  constructor(
    private readonly engine: ExclusiveEngine,
    private readonly watchdogMs: number,
  ) {
    super();
    checkDurations({ watchdogMs });
    // One listener for each release that is being repeated.
    setMaxListeners(0, this.closing.signal);
    this.renewals = new Renewals(watchdogMs, ({ key, owner }) => engine.renew(key, owner, watchdogMs));
  }

  acquire(key: string, options: AcquireOptions): Promise<Lease> {
    try {
      checkAcquire(key, options);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new TypeError(String(error)));
    }
    const started = performance.now();
    // The line is usually empty; then no promise and no timer is needed.
    const turn = this.line.enterIfEmpty(key);
    return turn ? this.contend(key, options, turn, started, started) : this.waitInLine(key, options, started);
  }

  /** Closes the subscriber's connection and stops the watchdog: leases that are still held expire. */
  close(): void {
    this.closing.abort();
    this.renewals.close();
    this.engine.close();
  }

  /** One more lease of a hold. No renewal extends it beyond `end`. */
  protected enter(hold: Hold, facts: { attempts: number; waitedMs: number; end?: number }): HeldLease {
    const { key, token, deadline } = hold.tenure;
    const lease: HeldLease = new HeldLease(
      { key, token, ...facts, deadline: Math.min(deadline, facts.end ?? Infinity) },
      () => this.leave(hold, lease),
      () => {
        this.onLost(hold, lease);
      },
    );
    hold.leases.push(lease);
    return lease;
  }

  private async waitInLine(key: string, options: AcquireOptions, started: number): Promise<Lease> {
    const turn = await this.line.enter(key, options);
    const { tenure, failure, othersFirstUntil = 0 } = turn.inherited ?? {};
    if (failure && failure.at > started) {
      turn.leave({ failure });
      throw failure.error;
    }
    if (tenure) {
      const fits = tenure.leaseMs === options.leaseMs && !options.signal?.aborted;
      if (fits && this.isWorthPassing(tenure)) return this.begin(tenure, turn, 1, started);
      // Not awaited: on one connection the engine executes this release before the attempt that follows.
      void this.abandon(tenure);
    }
    const pause = Math.min(othersFirstUntil, started + options.waitMs) - performance.now();
    if (pause > 0) await sleep(pause, options.signal);
    return this.contend(key, options, turn, started, performance.now());
  }

  /** At the head of the local line: asks the engine until it grants the lock or the time is up. */
  private async contend(
    key: string,
    options: AcquireOptions,
    turn: Turn<HandOff>,
    started: number,
    /** Read before the command is sent: the lease begins at the server no earlier than this. */
    asked: number,
  ): Promise<Lease> {
    const { waitMs, signal } = options;
    const giveUpAt = started + waitMs;
    let listener: Listener | undefined;
    try {
      for (let attempts = 1; ; attempts += 1) {
        signal?.throwIfAborted();
        const outcome = await this.attempt(key, options, asked, Math.max(giveUpAt, asked));
        if (outcome instanceof Tenure) return this.begin(outcome, turn, attempts, started);
        const left = giveUpAt - performance.now();
        if (left <= 0) throw new LockTimeout(performance.now() - started);
        // The first wait ends when the subscription exists, so that a release before it is not missed.
        listener ??= this.engine.listen(key);
        await listener.wait(Math.min(outcome.retryMs, left, LONGEST_WAIT_MS), signal);
        asked = performance.now();
      }
    } catch (error) {
      const engineFailed = !(error instanceof LockTimeout || error instanceof LockLost || signal?.aborted);
      turn.leave(engineFailed ? { failure: { at: performance.now(), error } } : undefined);
      throw error;
    } finally {
      listener?.close();
    }
  }

  /** One attempt in the engine. If it fails, a grant that may have happened is released. */
  private async attempt(
    key: string,
    { leaseMs, signal }: AcquireOptions,
    asked: number,
    giveUpAt: number,
  ): Promise<Tenure | { readonly retryMs: number }> {
    const length = leaseMs ?? this.watchdogMs;
    const owner = this.newOwner();
    const tokens = 1 + Math.min(this.line.waiting(key), MAX_PASSES);
    const answerBy = giveUpAt + this.engine.commandTimeoutMs;
    try {
      const outcome = await bounded(this.engine.attempt(key, owner, length, tokens), answerBy, signal);
      if (!outcome.granted) return outcome;
      signal?.throwIfAborted();
      if (performance.now() >= asked + length) throw new LockLost();
      const tenure = new Tenure(key, owner, leaseMs, asked, asked + length, outcome.token, tokens);
      if (leaseMs === undefined) this.renewals.add(tenure);
      return tenure;
    } catch (error) {
      // The lock may have been granted although the answer was lost or late, or the caller has aborted.
      const withdrawn = this.free(key, owner, length);
      const withdrawnBy = Math.min(answerBy, performance.now() + WITHDRAW_MS);
      if (signal?.aborted) await bounded(withdrawn, withdrawnBy).catch(() => undefined);
      throw error;
    }
  }

  /** Random, so that no other client can release the lock, and different for every attempt. */
  private newOwner(): string {
    this.tries += 1;
    return `${this.clientId}:${this.tries}`;
  }

  private begin(tenure: Tenure, turn: Turn<HandOff>, attempts: number, started: number): Lease {
    return this.enter(new Hold(tenure, turn), { attempts, waitedMs: performance.now() - started });
  }

  /** A lease was released. */
  private async leave(hold: Hold, lease: HeldLease): Promise<boolean> {
    const { tenure } = hold;
    if (!hold.remove(lease)) return false;
    if (!hold.isOver) return !tenure.lost;
    return this.finish(hold);
  }

  /** The last lease of a hold has ended: the tenure is handed to the next local caller, or the lock is released. */
  private async finish({ tenure, turn }: Hold): Promise<boolean> {
    const { key } = tenure;
    tenure.hold = undefined;
    if (this.mayPassOn(tenure)) {
      tenure.passes += 1;
      turn.leave({ tenure });
      return true;
    }
    const freed = await this.abandon(tenure);
    turn.leave(this.line.waiting(key) > 0 ? this.afterRelease(key, freed) : undefined);
    return freed?.held ?? false;
  }

  /** Ends a tenure without a holder. Undefined: the engine did not answer, and the release is repeated in the background. */
  private abandon(tenure: Tenure): Promise<Freed | undefined> {
    // First, because a renewal after the release could revive a lock that has no holder.
    this.renewals.remove(tenure);
    return this.free(tenure.key, tenure.owner, tenure.leaseMs ?? this.watchdogMs);
  }

  /** Never rejects. */
  private async free(key: string, owner: string, leaseMs: number): Promise<Freed | undefined> {
    const { commandTimeoutMs } = this.engine;
    const release = () => this.engine.free(key, owner);
    try {
      return await bounded(release(), performance.now() + commandTimeoutMs);
    } catch {
      void persist(release, leaseMs, commandTimeoutMs, this.closing.signal);
      return undefined;
    }
  }

  /** Called when the timer, the watchdog or the holder has noticed that a lease has ended. */
  private onLost(hold: Hold, lease: HeldLease): void {
    const { tenure, turn } = hold;
    if (!tenure.lost && lease.deadline < tenure.deadline) {
      // Only this entry has ended, because its lease was shorter. It counts as released: its caller may never release it.
      hold.remove(lease);
      if (hold.isOver) void this.finish(hold);
      return;
    }
    this.renewals.remove(tenure);
    tenure.lose();
    turn.leave();
  }

  private mayPassOn(tenure: Tenure): boolean {
    return (
      tenure.hasTokenForNext &&
      tenure.passes < MAX_PASSES &&
      performance.now() - tenure.began < MAX_PASSING_MS &&
      this.line.waiting(tenure.key) > 0 &&
      this.isWorthPassing(tenure)
    );
  }

  /** The next holder must get more than half of a lease; otherwise a new grant is better. */
  private isWorthPassing(tenure: Tenure): boolean {
    return !tenure.lost && tenure.deadline - performance.now() > (tenure.leaseMs ?? this.watchdogMs) * 0.6;
  }

  /** When other processes got the release message and callers wait here, the other processes go first. */
  private afterRelease(key: string, freed: Freed | undefined): HandOff {
    const others = (freed?.heard ?? 0) - (this.engine.isListening(key) ? 1 : 0);
    return others > 0 ? { othersFirstUntil: performance.now() + OTHERS_FIRST_MS } : {};
  }
}
