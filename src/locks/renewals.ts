/** What the watchdog can renew: a tenure or a lease. */
export interface Renewable {
  extend(deadline: number): void;
  lose(): void;
}

/** Renews one of them; false when the engine says that it is not held any more. */
export type Renew<Held extends Renewable> = (held: Held) => Promise<boolean>;

/**
 * The watchdog: one timer for all leases of a client, every third of the lease, so that each has several chances
 * before it expires. A renewal that fails is not a loss yet; the lease's own deadline decides that.
 */
export class Renewals<Held extends Renewable> {
  private readonly renewables = new Set<Held>();
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly leaseMs: number,
    private readonly renew: Renew<Held>,
  ) {}

  add(renewable: Held): void {
    if (this.closed) return;
    this.renewables.add(renewable);
    this.timer ??= setInterval(() => {
      this.renewAll();
    }, this.leaseMs / 3).unref();
  }

  /** Must come before the release is sent: a renewal after it could revive a lock that has no holder. */
  remove(renewable: Held): void {
    this.renewables.delete(renewable);
  }

  /** Stops renewing: leases that are still held expire. */
  close(): void {
    this.closed = true;
    this.renewables.clear();
    this.stopTimer();
  }

  private renewAll(): void {
    if (this.renewables.size === 0) this.stopTimer();
    // All in one turn of the event loop, so that the commands are sent in one packet.
    for (const renewable of this.renewables) void this.renewOne(renewable);
  }

  private stopTimer(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async renewOne(renewable: Held): Promise<void> {
    // Read before the command is sent: the lease begins at the server no earlier than this.
    const asked = performance.now();
    const held = await this.renew(renewable).catch(() => undefined);
    // It was released or lost meanwhile.
    if (!this.renewables.has(renewable)) return;
    if (held === true) renewable.extend(asked + this.leaseMs);
    if (held === false) {
      this.remove(renewable);
      renewable.lose();
    }
  }
}
