import { checkAcquire, checkDurations } from '../arguments.js';
import { LockTimeout } from '../errors.js';
import { HeldLease } from '../held-lease.js';
import { LocalLine, type Turn } from '../local-line.js';
import { type AcquireOptions, type Lease, Lock } from '../lock.js';
import { Renewals } from '../renewals.js';
import { sleep } from '../sleep.js';
import { type RedisClient } from './connect.js';
import { drift, Watched } from './drift.js';
import { LostClaims } from './lost-claims.js';
import { Quorum, type Tally } from './quorum.js';
import { Claim } from './quorum-claim.js';
import { DEFAULT_PREFIX, DEFAULT_WATCHDOG_MS } from './exclusive-engine.js';

export interface QuorumLockOptions {
  /** Before every key, so that locks can share a Redis with other data. */
  readonly prefix?: string;
  /** The lease that the watchdog renews, for callers that give none. */
  readonly watchdogMs?: number;
  /** How long to wait for the answer of a node. Much shorter than the lease: a node that is down must not use it up. */
  readonly nodeTimeoutMs?: number;
}

interface Granted {
  readonly claim: Claim;
  readonly deadline: number;
  readonly attempts: number;
}

/** The longest pause after the first failed attempt. It doubles with every attempt, up to LONGEST_PAUSE_MS. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/**
 * Redlock: a client holds the lock when a majority of independent masters has granted it, for what is left of the lease
 * when the majority has answered.
 *
 * - A minority of nodes may be down or hang. With a majority down no client gets the lock.
 * - A node that restarts without the locks it had granted can grant them again, and so can a node whose clock jumps: then
 *   there are two holders. Use an AOF with `appendfsync always`, or restart a crashed node only after the longest lease.
 * - There is no fencing token. Each master would have its own counter, and the counters of one majority say nothing about
 *   those of the next: even the largest number can repeat. A number that does not increase with every grant stops no late
 *   writer. Nothing here stops a holder that was paused for longer than its lease: guard the write in the store.
 * - It polls: a release wakes the next waiter of this process only; other processes retry when their pause is over. The
 *   order is first come, first served within a process, not between processes.
 * - Where nodes hang, a wait may end two node timeouts late: one for the last attempt, one for its release.
 */
export class QuorumRedisLock extends Lock {
  private readonly prefix: string;
  private readonly watchdogMs: number;
  private readonly nodeTimeoutMs: number;
  private readonly quorum: Quorum;
  private readonly renewals: Renewals<Watched<Claim>>;
  /** Waiters of this process queue here behind one contender: several contenders would split the vote. */
  private readonly line = new LocalLine();
  private readonly closing = new AbortController();
  private readonly lost = new LostClaims((claim) => this.giveUp(claim), this.closing.signal);

  constructor(nodes: readonly RedisClient[], options: QuorumLockOptions = {}) {
    super();
    const { prefix = DEFAULT_PREFIX, watchdogMs = DEFAULT_WATCHDOG_MS, nodeTimeoutMs = 200 } = options;
    checkDurations({ watchdogMs, nodeTimeoutMs });
    this.prefix = prefix;
    this.watchdogMs = watchdogMs;
    this.nodeTimeoutMs = nodeTimeoutMs;
    this.quorum = new Quorum(nodes, nodeTimeoutMs);
    this.renewals = new Renewals(watchdogMs, ({ held }) => this.renew(held));
  }

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    checkAcquire(key, options);
    const started = performance.now();
    const turn = await this.line.enter(key, options);
    try {
      const { claim, ...grant } = await this.contend(key, started, options);
      const waitedMs = performance.now() - started;
      const lease: HeldLease = new HeldLease(
        { key, waitedMs, ...grant },
        () => this.release(watched, turn),
        () => {
          // A minority of nodes may still have the lock. It must not be renewed, and must not block the next local caller.
          this.renewals.remove(watched);
          turn.leave();
        },
      );
      const watched = new Watched(claim, lease, this.watchdogMs);
      if (options.leaseMs === undefined) this.renewals.add(watched);
      return lease;
    } catch (error) {
      turn.leave();
      throw error;
    }
  }

  /** Stops the watchdog and repeats no release: leases that are still held expire. The connections are the caller's. */
  close(): void {
    this.closing.abort();
    this.renewals.close();
  }

  private async contend(key: string, started: number, options: AcquireOptions): Promise<Granted> {
    const { waitMs, signal } = options;
    const leaseMs = options.leaseMs ?? this.watchdogMs;
    for (let attempts = 1; ; attempts += 1) {
      signal?.throwIfAborted();
      const claim = new Claim(this.quorum, this.prefix + key, leaseMs);
      // Read before the first command is sent: the lease begins at the nodes no earlier than this.
      const deadline = performance.now() + leaseMs - drift(leaseMs);
      const tally = await claim.make();
      const granted = tally.yes >= this.quorum.majority && performance.now() < deadline;
      if (granted && !signal?.aborted) return { claim, deadline, attempts };
      if (!(await this.giveUp(claim))) this.lost.add(claim);
      signal?.throwIfAborted();
      const left = waitMs - (performance.now() - started);
      if (left <= 0) throw timeout(waitMs - left, tally);
      await sleep(Math.min(left, pause(attempts)), signal);
    }
  }

  private async renew(claim: Claim): Promise<boolean> {
    const { yes, no } = await claim.renew();
    if (yes >= this.quorum.majority) return true;
    if (no >= this.quorum.majority) return false;
    throw new Error('Too few nodes answered.');
  }

  private async release(watched: Watched<Claim>, turn: Turn<never>): Promise<boolean> {
    this.renewals.remove(watched);
    const { held: claim } = watched;
    const { yes, no } = await claim.giveUp('until-decided');
    // Once a majority has answered, the lock is free, even if a minority still has it.
    if (yes + no < this.quorum.majority) this.lost.add(claim);
    turn.leave();
    return yes >= this.quorum.majority;
  }

  /** True when a majority has answered. */
  private async giveUp(claim: Claim): Promise<boolean> {
    const { yes, no } = await claim.giveUp('until-all');
    return yes + no >= this.quorum.majority;
  }
}

/** Random, so that contenders that split the vote do not collide again. */
function pause(attempts: number): number {
  return Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
}

/** The lock is not free, or too few nodes answered: then the cause has their errors. */
function timeout(waitedMs: number, { errors }: Tally): LockTimeout {
  const error = new LockTimeout(waitedMs);
  if (errors.length > 0) error.cause = new AggregateError(errors, `${errors.length} nodes failed`);
  return error;
}
