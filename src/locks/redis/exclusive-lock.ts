import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockTimeout } from '../errors.js';
import { type Leave, LocalLine } from '../local-line.js';
import { type AcquireOptions, type Lease, Lock } from '../lock.js';
import { type RedisClient } from './connect.js';
import { Renewals } from './renewals.js';
import { type ReplicaCount, replicated } from './replicas.js';
import { Tenure, TenureLease } from './tenure.js';
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
  private readonly clientId = randomUUID();
  private tries = 0;
  private readonly line = new LocalLine();
  private readonly kept = new Map<string, Tenure>();
  private readonly courtesyUntil = new Map<string, number>();
  /** When Redis last failed to answer, and how. */
  private failure = { at: -Infinity, error: undefined as unknown };
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

  acquire(key: string, options: AcquireOptions): Promise<Lease> {
    const started = performance.now();
    // Mostly nobody else is in line here, and then nothing is spent on the line.
    const leave = this.line.enterIfEmpty(key);
    return leave
      ? this.contend(key, options, leave, started, started)
      : this.waitInLine(key, options, started);
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

  protected lease(tenure: Tenure, attempts: number, started: number): TenureLease {
    const { key, deadline, currentToken: token } = tenure;
    const waitedMs = performance.now() - started;
    const lease: TenureLease = new TenureLease(
      tenure,
      { key, token, attempts, waitedMs, deadline },
      () => {
        tenure.leases.splice(tenure.leases.indexOf(lease), 1);
        return this.giveBack(tenure);
      },
      () => {
        tenure.lost = true;
        this.renewals.remove(tenure);
        tenure.leave();
      },
    );
    tenure.leases.push(lease);
    return lease;
  }

  private async waitInLine(key: string, options: AcquireOptions, started: number): Promise<Lease> {
    const leave = await this.line.enter(key, options);
    if (this.failure.at > started) {
      // Redis did not answer while this caller stood in line: to ask in turn would keep each waiting for one time-out more.
      leave();
      throw this.failure.error;
    }
    const inherited = this.kept.get(key);
    this.kept.delete(key);
    if (inherited && inherited.leaseMs === options.leaseMs && !options.signal?.aborted) {
      inherited.leave = leave;
      return this.lease(inherited, 1, started);
    }
    if (inherited) {
      this.renewals.remove(inherited);
      await this.free(key, inherited.owner).catch(() => undefined);
    }
    await this.letOthersGoFirst(key);
    return this.contend(key, options, leave, started, performance.now());
  }

  /** At the head of the local line: asks Redis until it grants the lock or the time is up. */
  private async contend(
    key: string,
    { waitMs, leaseMs, signal }: AcquireOptions,
    leave: Leave,
    started: number,
    /** Read before the command is sent: a clock read after the answer would promise too much. */
    asked: number,
  ): Promise<TenureLease> {
    const lease = leaseMs ?? this.watchdogMs;
    let asking: string | undefined;
    let listener: Listener | undefined;
    try {
      for (let attempts = 1; ; attempts += 1) {
        signal?.throwIfAborted();
        const owner = (asking = this.newOwner());
        const tokens = 1 + Math.min(this.line.waiting(key), MAX_HANDOVERS);
        const answer = this.attempt(key, owner, lease, tokens);
        // Made while Redis is at work, not after it.
        const tenure = new Tenure(key, owner, leaseMs, asked, asked + lease, leave);
        const outcome = await answer;
        if (outcome.granted) {
          if (this.options.replicas !== undefined) await replicated(this.client, this.options.replicas);
          signal?.throwIfAborted();
          tenure.begin(outcome.token, tokens);
          if (leaseMs === undefined) this.renewals.add(tenure);
          return this.lease(tenure, attempts, started);
        }
        asking = undefined;
        const left = waitMs - (performance.now() - started);
        if (left <= 0) throw new LockTimeout(performance.now() - started);
        // The first wait ends when the subscription stands, so that a release before it is not slept through.
        listener ??= this.wakeups.listen(this.channel(key));
        await listener.wait(Math.min(outcome.retryMs, left, LONGEST_WAIT_MS), signal);
        asked = performance.now();
      }
    } catch (error) {
      if (asking !== undefined) {
        // It may have been granted although the answer was lost, late or unwelcome: then it is given back.
        const freed = this.free(key, asking).catch(() => undefined);
        if (signal?.aborted) await freed;
        else this.failure = { at: performance.now(), error };
      }
      leave();
      throw error;
    } finally {
      listener?.close();
    }
  }

  /** Random, so that nobody else can give back what it holds, and another one for every try. */
  private newOwner(): string {
    this.tries += 1;
    return `${this.clientId}:${this.tries}`;
  }

  private giveBack(tenure: Tenure): Promise<boolean> {
    // The holder had entered more than once and is still inside.
    if (tenure.leases.length > 0)
      return this.free(tenure.key, tenure.owner).then(
        ({ held }) => held,
        () => false,
      );
    if (this.mayHandOver(tenure)) {
      tenure.passOn();
      this.kept.set(tenure.key, tenure);
      tenure.leave();
      return Promise.resolve(true);
    }
    this.renewals.remove(tenure);
    return this.free(tenure.key, tenure.owner).then(
      ({ held, heard }) => {
        if (heard > 0 && this.line.waiting(tenure.key) > 0) this.noteOthers(tenure.key, heard);
        tenure.leave();
        return held;
      },
      () => {
        // Redis does not answer: nobody can say whether it was still held, and the lease will end it.
        tenure.leave();
        return false;
      },
    );
  }

  private mayHandOver(tenure: Tenure): boolean {
    if (tenure.lost || !tenure.canPassOn || this.line.waiting(tenure.key) === 0) return false;
    const now = performance.now();
    const lease = tenure.leaseMs ?? this.watchdogMs;
    return (
      tenure.turn < MAX_HANDOVERS &&
      now - tenure.began < MAX_HANDOVER_MS &&
      // The next holder must get nearly a whole lease, or it would be worse off than after asking Redis.
      tenure.deadline - now > lease * 0.6
    );
  }

  /** Other processes heard of the release, and callers wait here too: next time the others go first. */
  private noteOthers(key: string, heard: number): void {
    const others = heard - (this.wakeups.isListening(this.channel(key)) ? 1 : 0);
    if (others > 0) this.courtesyUntil.set(key, performance.now() + COURTESY_MS);
  }

  private async letOthersGoFirst(key: string): Promise<void> {
    const until = this.courtesyUntil.get(key);
    if (until === undefined) return;
    this.courtesyUntil.delete(key);
    const pause = until - performance.now();
    if (pause > 0) await sleep(pause);
  }
}
