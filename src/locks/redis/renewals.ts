import { type Tenure } from './tenure.js';

/** What a watchdog can keep alive. */
export interface Renewable {
  extend(deadline: number): void;
  lose(): void;
}

/** Renews one of them; false when Redis says that it is not held any more, an error when it is not known. */
export type Renew<T> = (held: T) => Promise<boolean>;

/**
 * The watchdog: one timer for all leases of a client, every third of the lease, so that each has several chances
 * before it ends. A renewal that fails is not a loss yet; the lease's own deadline decides that.
 */
export class Renewals<T extends Renewable = Tenure> {
  private readonly tenures = new Set<T>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly leaseMs: number,
    private readonly renew: Renew<T>,
  ) {}

  add(tenure: T): void {
    this.tenures.add(tenure);
    this.timer ??= setInterval(() => {
      this.renewAll();
    }, this.leaseMs / 3).unref();
  }

  /** Must come before the release is sent: a renewal after it would revive a lock that nobody holds. */
  remove(tenure: T): void {
    this.tenures.delete(tenure);
  }

  get size(): number {
    return this.tenures.size;
  }

  private renewAll(): void {
    if (this.tenures.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    // All in one turn of the event loop, so that they go out in one packet.
    for (const tenure of this.tenures) void this.renewOne(tenure);
  }

  private async renewOne(tenure: T): Promise<void> {
    const asked = performance.now();
    const held = await this.renew(tenure).catch(() => undefined);
    if (held === true) tenure.extend(asked + this.leaseMs);
    if (held === false && this.tenures.has(tenure)) {
      this.remove(tenure);
      tenure.lose();
    }
  }
}
