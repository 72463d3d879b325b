/** What the watchdog can keep: a tenure or a lease. */
export interface Renewable {
  extend(deadline: number): void;
  lose(): void;
}

/** Renews one holding; false when Redis says that it is not held any more. */
export type Renew<Held extends Renewable> = (held: Held) => Promise<boolean>;

/**
 * The watchdog: one timer for all leases of a client, every third of the lease, so that each has several chances
 * before it ends. A renewal that fails is not a loss yet; the lease's own deadline decides that.
 */
export class Renewals<Held extends Renewable> {
  private readonly holdings = new Set<Held>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly leaseMs: number,
    private readonly renew: Renew<Held>,
  ) {}

  add(holding: Held): void {
    this.holdings.add(holding);
    this.timer ??= setInterval(() => {
      this.renewAll();
    }, this.leaseMs / 3).unref();
  }

  /** Must come before the release is sent: a renewal after it would revive a lock that nobody holds. */
  remove(holding: Held): void {
    this.holdings.delete(holding);
  }

  get size(): number {
    return this.holdings.size;
  }

  private renewAll(): void {
    if (this.holdings.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    // All in one turn of the event loop, so that they go out in one packet.
    for (const holding of this.holdings) void this.renewOne(holding);
  }

  private async renewOne(holding: Held): Promise<void> {
    const asked = performance.now();
    const held = await this.renew(holding).catch(() => undefined);
    if (held === true) holding.extend(asked + this.leaseMs);
    if (held === false && this.holdings.has(holding)) {
      this.remove(holding);
      holding.lose();
    }
  }
}
