/** What is lost at a time, by performance.now(), that may move on. */
export interface Expiring {
  readonly deadline: number;
  lose(): void;
}

/** Timers and the servers that forget a lock count whole milliseconds: a lease rather ends too early than too late. */
const EARLY_MS = 2;

/**
 * Ends leases when their time is up, with one timer for all of them: most are given back long before, and a timer of
 * its own for each would cost more than anything else that is done for it in this process.
 */
export class Deadlines {
  private readonly leases = new Set<Expiring>();
  private next = Infinity;
  private timer: NodeJS.Timeout | undefined;

  add(lease: Expiring): void {
    this.leases.add(lease);
    if (lease.deadline < this.next) this.wakeAt(lease.deadline);
  }

  remove(lease: Expiring): void {
    this.leases.delete(lease);
  }

  private wakeAt(time: number): void {
    this.next = time;
    clearTimeout(this.timer);
    if (time === Infinity) return;
    const wake = () => {
      this.endThoseDue();
    };
    this.timer = setTimeout(wake, time - EARLY_MS - performance.now()).unref();
  }

  private endThoseDue(): void {
    const due = performance.now() + EARLY_MS;
    let next = Infinity;
    for (const lease of this.leases) {
      if (lease.deadline <= due) {
        this.leases.delete(lease);
        lease.lose();
      } else next = Math.min(next, lease.deadline);
    }
    this.wakeAt(next);
  }
}
