import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockTimeout } from '../errors.js';
import { HeldLease } from '../held-lease.js';
import { LocalLock } from '../local-lock.js';
import { type AcquireOptions, type Lease, Lock } from '../lock.js';
import { type RedisClient } from './connect.js';
import { Renewals } from './renewals.js';
import { type ReplicaCount, replicated } from './replicas.js';
import { Tenure } from './tenure.js';
import { type Listener, Wakeups } from './wakeups.js';

export interface RedisLockOptions {
  /** Before every key, so that locks can share a Redis with other data. */
  readonly prefix?: string;
  /** The lease that the watchdog keeps renewing, for callers who give none. */
  readonly watchdogMs?: number;
  /** Let no lock count until so many replicas have it. Narrows the window of a failover, does not close it. */
  readonly replicas?: ReplicaCount;
}

/** Granted with a block of tokens, or refused with the time after which it is worth asking again. */
export type Attempt =
  { readonly granted: true; readonly token: bigint } | { readonly granted: false; readonly retryMs: number };

export interface Freed {
  readonly held: boolean;
  /** How many processes heard that it is free. */
  readonly heard: number;
}

/** A local waiter may get the lock without a round trip, but others must get their turn. */
const MAX_HANDOVERS = 32;
const MAX_HANDOVER_MS = 50;
/** After a long turn of its own this process lets the others go first. */
const COURTESY_MS = 3;
/** Without a TTL to go by (or when a message was lost) ask again after this. */
const LONGEST_WAIT_MS = 1000;

/**
 * What the exclusive Redis locks share: who waits and how, who renews, who gives back. Each kind of lock brings the
 * three scripts.
 *
 * The order of waiting is: try, subscribe, try again, wait at most as long as the holder's lease. A process stands
 * in Redis once per key, however many of its callers wait: they queue here, first come first served.
 */
export abstract class RedisExclusiveLock extends Lock {
  protected readonly prefix: string;
  private readonly watchdogMs: number;
  private readonly line = new LocalLock();
  private readonly tenures = new WeakMap<Lease, Tenure>();
  private readonly kept = new Map<string, Tenure>();
  private readonly courtesyUntil = new Map<string, number>();
  private readonly wakeups: Wakeups;
  private readonly renewals: Renewals<Tenure>;

  constructor(
    protected readonly client: RedisClient,
    private readonly options: RedisLockOptions = {},
  ) {
    super();
    this.prefix = options.prefix ?? 'lock:';
    this.watchdogMs = options.watchdogMs ?? 30_000;
    this.wakeups = new Wakeups(client);
    this.renewals = new Renewals(this.watchdogMs, (tenure) =>
      this.renew(tenure.key, tenure.owner, this.watchdogMs),
    );
  }

  /** Idempotent: the same owner asking again gets the same grant. `tokens` are minted in one block. */
  protected abstract attempt(key: string, owner: string, leaseMs: number, tokens: number): Promise<Attempt>;
  protected abstract renew(key: string, owner: string, leaseMs: number): Promise<boolean>;
  protected abstract free(key: string, owner: string): Promise<Freed>;

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    const started = performance.now();
    const place = await this.line.acquire(key, options);
    try {
      const inherited = await this.inherit(key, options);
      const { tenure, attempts } = inherited
        ? { tenure: inherited, attempts: 1 }
        : await this.contend(key, options, place, started);
      tenure.place = place;
      return this.lease(tenure, attempts, started);
    } catch (error) {
      await place.release();
      throw error;
    }
  }

  /** Ends the subscriber's connection; leases that are still held are left to expire. */
  close(): void {
    this.wakeups.close();
  }

  protected redisKeys(key: string): [lock: string, fence: string, released: string] {
    // Braces: one slot in a cluster.
    const lock = `${this.prefix}{${key}}`;
    return [lock, `${lock}:fence`, `${lock}:released`];
  }

  protected channel(key: string): string {
    return `${this.prefix}{${key}}:free`;
  }

  /** The tenure behind a lease of this lock. */
  protected tenureOf(lease: Lease): Tenure | undefined {
    return this.tenures.get(lease);
  }

  protected lease(tenure: Tenure, attempts: number, started: number): Lease {
    const { key, deadline, currentToken: token } = tenure;
    const waitedMs = performance.now() - started;
    const lease: HeldLease = new HeldLease(
      { key, token, attempts, waitedMs, deadline },
      () => {
        tenure.leases.delete(lease);
        return this.giveBack(tenure);
      },
      () => {
        tenure.lost = true;
        this.renewals.remove(tenure);
        void tenure.place.release();
      },
    );
    tenure.leases.add(lease);
    this.tenures.set(lease, tenure);
    return lease;
  }

  private async giveBack(tenure: Tenure): Promise<boolean> {
    const { key, owner } = tenure;
    // The holder had entered more than once and is still inside.
    if (tenure.leases.size > 0) return (await this.free(key, owner).catch(() => ({ held: false }))).held;
    if (this.mayHandOver(tenure)) {
      tenure.passOn();
      this.kept.set(key, tenure);
      await tenure.place.release();
      return true;
    }
    this.renewals.remove(tenure);
    try {
      const { held, heard } = await this.free(key, owner);
      const others = heard - (this.wakeups.isListening(this.channel(key)) ? 1 : 0);
      if (others > 0 && this.line.waiting(key) > 0)
        this.courtesyUntil.set(key, performance.now() + COURTESY_MS);
      return held;
    } catch {
      // Redis does not answer: nobody can say whether it was still held, and the lease will end it.
      return false;
    } finally {
      await tenure.place.release();
    }
  }

  private mayHandOver(tenure: Tenure): boolean {
    const lease = tenure.leaseMs ?? this.watchdogMs;
    return (
      !tenure.lost &&
      this.line.waiting(tenure.key) > 0 &&
      tenure.canPassOn &&
      tenure.turn < MAX_HANDOVERS &&
      performance.now() - tenure.began < MAX_HANDOVER_MS &&
      // The next holder must get nearly a whole lease, or it would be worse off than after asking Redis.
      tenure.deadline - performance.now() > lease * 0.6
    );
  }

  /** The tenure that the last local holder left for the next one, if it suits. */
  private async inherit(key: string, { leaseMs, signal }: AcquireOptions): Promise<Tenure | undefined> {
    const tenure = this.kept.get(key);
    if (!tenure) return undefined;
    this.kept.delete(key);
    if (tenure.leaseMs === leaseMs && !signal?.aborted) return tenure;
    this.renewals.remove(tenure);
    await this.free(key, tenure.owner);
    signal?.throwIfAborted();
    return undefined;
  }

  private async contend(key: string, options: AcquireOptions, place: Lease, started: number) {
    const { waitMs, signal } = options;
    await this.letOthersGoFirst(key);
    let listener: Listener | undefined;
    try {
      for (let attempts = 1; ; attempts += 1) {
        signal?.throwIfAborted();
        const outcome = await this.tryOnce(key, options, place);
        if (outcome instanceof Tenure) return { tenure: outcome, attempts };
        const left = waitMs - (performance.now() - started);
        if (left <= 0) throw new LockTimeout(performance.now() - started);
        // The first wait ends when the subscription stands, so that a release before it is not slept through.
        listener ??= this.wakeups.listen(this.channel(key));
        await listener.wait(Math.min(outcome.retryMs, left, LONGEST_WAIT_MS), signal);
      }
    } finally {
      listener?.close();
    }
  }

  private async tryOnce(
    key: string,
    { leaseMs, signal }: AcquireOptions,
    place: Lease,
  ): Promise<Tenure | { retryMs: number }> {
    const owner = randomUUID();
    const tokens = 1 + Math.min(this.line.waiting(key), MAX_HANDOVERS);
    const lease = leaseMs ?? this.watchdogMs;
    // Read before the command is sent: a clock read after the answer would promise too much.
    const asked = performance.now();
    let outcome: Attempt;
    try {
      outcome = await this.attempt(key, owner, lease, tokens);
      if (!outcome.granted) return outcome;
      await replicated(this.client, this.options.replicas);
      signal?.throwIfAborted();
    } catch (error) {
      // It may have been granted although the answer was lost, late or unwelcome: then it is given back.
      await this.free(key, owner).catch(() => undefined);
      throw error;
    }
    const tenure = new Tenure(key, owner, leaseMs, asked + lease, place, outcome.token, tokens);
    if (leaseMs === undefined) this.renewals.add(tenure);
    return tenure;
  }

  private async letOthersGoFirst(key: string): Promise<void> {
    const until = this.courtesyUntil.get(key);
    if (until === undefined) return;
    this.courtesyUntil.delete(key);
    const pause = until - performance.now();
    if (pause > 0) await sleep(pause);
  }
}
