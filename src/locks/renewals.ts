/** What the watchdog can renew: a tenure or a lease. */
export interface Renewable {
  extend(deadline: number): void;
  lose(): void;
}

/** Renews one holding; false when the engine says that it is not held any more. */
export type Renew<Held extends Renewable> = (held: Held) => Promise<boolean>;

/**
 * The watchdog: one timer for all leases of a client, every third of the lease, so that each has several chances
 * before it expires. A renewal that fails is not a loss yet; the lease's own deadline decides that.
 */
export class Renewals<Held extends Renewable> {
  private readonly holdings = new Set<Held>();
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly leaseMs: number,
    private readonly renew: Renew<Held>,
  ) {}

  add(holding: Held): void {
    if (this.closed) return;
    this.holdings.add(holding);
    this.timer ??= setInterval(() => {
      this.renewAll();
    }, this.leaseMs / 3).unref();
  }

  /** Must come before the release is sent: a renewal after it could revive a lock that has no holder. */
  remove(holding: Held): void {
    this.holdings.delete(holding);
  }

  /** Renews nothing any more: what is held expires. */
  close(): void {
    this.closed = true;
    this.holdings.clear();
    this.stopTimer();
  }

  private renewAll(): void {
    if (this.holdings.size === 0) this.stopTimer();
    // All in one turn of the event loop, so that the commands leave in one packet.
    for (const holding of this.holdings) void this.renewOne(holding);
  }

  private stopTimer(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async renewOne(holding: Held): Promise<void> {
    // Read before the command is sent: a later reading would promise too much.
    const asked = performance.now();
    const held = await this.renew(holding).catch(() => undefined);
    // Released or lost meanwhile: the answer is about a holding that has ended.
    if (!this.holdings.has(holding)) return;
    if (held === true) holding.extend(asked + this.leaseMs);
    if (held === false) {
      this.remove(holding);
      holding.lose();
    }
  }
}
