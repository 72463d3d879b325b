import { sleep } from '../sleep.js';
import { type Claim } from './quorum-claim.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/**
 * Claims that were given up while too few nodes answered: a majority may still have them. They are released again until a
 * majority has answered or their lease would have ended. Without this, an outage of a moment would keep the key
 * locked for a whole lease.
 */
export class LostClaims {
  /** With the time at which they end by themselves, by performance.now(). */
  private readonly claims = new Map<Claim, number>();
  private running = false;

  constructor(
    /** True when a majority has answered. */
    private readonly release: (claim: Claim) => Promise<boolean>,
    private readonly stop: AbortSignal,
  ) {}

  add(claim: Claim): void {
    this.claims.set(claim, performance.now() + claim.leaseMs);
    if (!this.running) void this.run();
  }

  private async run(): Promise<void> {
    this.running = true;
    let pause = FIRST_PAUSE_MS;
    while (this.claims.size > 0 && !this.stop.aborted) {
      await sleep(pause, this.stop);
      pause = (await this.releaseAll()) ? FIRST_PAUSE_MS : Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
    this.running = false;
  }

  /** Ends at the first failure: contenders add claims all through an outage, and the nodes need not be asked about each. */
  private async releaseAll(): Promise<boolean> {
    for (const [claim, end] of this.claims) {
      if (this.stop.aborted) return false;
      if (performance.now() < end && !(await this.release(claim))) return false;
      this.claims.delete(claim);
    }
    return true;
  }
}
