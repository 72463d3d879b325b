import { TooManyWaiting } from '../locks/errors.js';
import { type WaitOptions } from '../locks/bounded-wait.js';
import { Waiters } from '../locks/waiters.js';
import { Shares } from './shares.js';

/**
 * The slots of the connection pool for requests, with a queue per owner (docs/adr/0024). The requests of one owner are
 * served in order of arrival. Owners take turns, and none gets more than its share: requests that wait for one hot row
 * cannot keep other goods from being sold.
 */
export class ConnectionSlots<Owner> {
  private readonly shares: Shares<Owner>;
  /** In the order of the owners' turns. */
  private readonly queues = new Map<Owner, Waiters<() => void>>();

  constructor(
    size: number,
    percent: number,
    private readonly maxWaiting: number,
  ) {
    this.shares = new Shares(size, percent);
  }

  get held(): number {
    return this.shares.held;
  }

  get waiting(): number {
    return [...this.queues.values()].reduce((sum, { size }) => sum + size, 0);
  }

  heldBy(owner: Owner): number {
    return this.shares.heldBy(owner);
  }

  busiest(owners: readonly [Owner, ...Owner[]]): Owner {
    return this.shares.busiest(owners);
  }

  /** Resolves with the function that frees the slot. */
  async acquire(owner: Owner, options: WaitOptions): Promise<() => void> {
    options.signal?.throwIfAborted();
    const queue = this.queues.get(owner) ?? new Waiters();
    if (queue.size === 0 && this.shares.admits(owner)) return this.take(owner);
    if (queue.size >= this.maxWaiting) throw new TooManyWaiting();
    this.queues.set(owner, queue);
    try {
      return await queue.wait(options);
    } finally {
      if (queue.size === 0 && this.queues.get(owner) === queue) this.queues.delete(owner);
    }
  }

  private take(owner: Owner): () => void {
    const giveBack = this.shares.take(owner);
    return () => {
      giveBack();
      this.serve();
    };
  }

  private serve(): void {
    for (const [owner, queue] of this.queues) {
      if (queue.size === 0 || !this.shares.admits(owner)) continue;
      // The owner's next turn comes after those of the other owners.
      this.queues.delete(owner);
      this.queues.set(owner, queue);
      queue.give(this.take(owner));
    }
  }
}
