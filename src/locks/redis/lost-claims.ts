import { sleep } from '../sleep.js';
import { type Claim } from './quorum-claim.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/**
 * Claims whose release too few nodes have answered: a majority may still have them. The release is repeated until a
 * majority has answered or the lease would have ended. Without this, a short outage would keep the key locked for a
 * whole lease.
 */
export class LostClaims {
  /** With the time at which their lease ends, by performance.now(). */
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

  /** Stops at the first failure: during an outage there may be many claims, and the next ones would fail as well. */
  private async releaseAll(): Promise<boolean> {
    for (const [claim, end] of this.claims) {
      if (this.stop.aborted) return false;
      if (performance.now() < end && !(await this.release(claim))) return false;
      this.claims.delete(claim);
    }
    return true;
  }
}
