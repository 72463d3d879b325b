/** Something that ends at a time, by performance.now(). The time may be moved to a later one. */
export interface Expiring {
  readonly deadline: number;
  /** Its neighbours in the list; for `Deadlines` alone. */
  previous: Expiring | undefined;
  next: Expiring | undefined;
  lose(): void;
}

/** Timers and servers count whole milliseconds. A lease may end too early, but not too late. */
const EARLY_MS = 2;

/**
 * Ends leases and waits when their time is up, with one timer for all of them. Most end long before: a timer for each would
 * cost more than everything else that this process does for a lock. They are in a linked list and not in a Set, because a
 * Set that is filled and emptied all the time keeps the garbage collector busy.
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

  /** Has no effect on one that is not in the list. */
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
    const dueAt = performance.now() + EARLY_MS;
    const due: Expiring[] = [];
    let soonest = Infinity;
    for (let lease = this.first; lease; lease = lease.next) {
      if (lease.deadline <= dueAt) due.push(lease);
      else soonest = Math.min(soonest, lease.deadline);
    }
    // Before any callback runs: a callback may add the next lease, which must find the list in order.
    this.wakeAt(soonest);
    for (const lease of due) {
      this.remove(lease);
      lease.lose();
    }
  }
}

/** The one list of this process. */
export const DEADLINES = new Deadlines();
