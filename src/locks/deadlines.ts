/** What is lost at a time, by performance.now(), that may move on. */
export interface Expiring {
  readonly deadline: number;
  /** Its neighbours among those that are watched; for `Deadlines` alone. */
  previous: Expiring | undefined;
  next: Expiring | undefined;
  lose(): void;
}

/** Timers and the servers that forget a lock count whole milliseconds: a lease rather ends too early than too late. */
const EARLY_MS = 2;

/**
 * Ends leases when their time is up, with one timer for all of them: most are given back long before, and a timer of
 * its own for each would cost more than anything else that is done for it in this process. For the same reason they are
 * a chain, and not a Set: one that is filled and emptied all the time keeps the collector of garbage busy.
 */
export class Deadlines {
  private first: Expiring | undefined;
  private wakesAt = Infinity;
  private timer: NodeJS.Timeout | undefined;

  add(lease: Expiring): void {
    lease.next = this.first;
    if (this.first) this.first.previous = lease;
    this.first = lease;
    if (lease.deadline < this.wakesAt) this.wakeAt(lease.deadline);
  }

  /** Removing one that is not here does no harm. */
  remove(lease: Expiring): void {
    const { previous, next } = lease;
    if (previous) previous.next = next;
    else if (this.first === lease) this.first = next;
    if (next) next.previous = previous;
    lease.previous = lease.next = undefined;
  }

  private wakeAt(time: number): void {
    this.wakesAt = time;
    clearTimeout(this.timer);
    if (time === Infinity) return;
    const wake = () => {
      this.endThoseDue();
    };
    this.timer = setTimeout(wake, time - EARLY_MS - performance.now()).unref();
  }

  private endThoseDue(): void {
    const end = performance.now() + EARLY_MS;
    const due: Expiring[] = [];
    let soonest = Infinity;
    for (let lease = this.first; lease; lease = lease.next) {
      if (lease.deadline <= end) due.push(lease);
      else soonest = Math.min(soonest, lease.deadline);
    }
    // Before anybody hears of a loss: whoever does may take the next lease, which must find this in order.
    this.wakeAt(soonest);
    for (const lease of due) {
      this.remove(lease);
      lease.lose();
    }
  }
}
