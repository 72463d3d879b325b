import { boundedWait, type WaitOptions } from '../../locks/bounded-wait.js';
import { TooManyWaiting } from '../../locks/errors.js';

/** What became of one item. Items of one batch can have different outcomes. */
export type ItemOutcome<Result> = PromiseSettledResult<Result>;

/**
 * Executes a batch. `close` ends the time in which items join, and returns them in order of arrival. The work resolves with
 * their outcomes in the same order; it rejects when all of them failed alike.
 */
export type BatchWork<Item, Result> = (
  close: () => readonly Item[],
) => Promise<readonly ItemOutcome<Result>[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  /** The caller leads the next batch. */
  readonly lead: () => void;
  /** The caller's item is in a batch; its outcome follows. */
  readonly join: () => (outcome: ItemOutcome<Result>) => void;
}

/**
 * One batch at a time. Items that arrive while it is under way wait in a bounded queue. When it ends, the first of them
 * leads the next batch: its caller does the work, and the items behind it join until the work closes the batch.
 *
 * Until the batch is closed, the leader's item is alone in it. Work that fails before then fails for the leader only.
 */
export class BatchQueue<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private underWay = false;

  constructor(
    private readonly work: BatchWork<Item, Result>,
    private readonly limits: { readonly batch: number; readonly waiting: number },
  ) {}

  /** No batch is under way, and no item waits. */
  get idle(): boolean {
    return !this.underWay;
  }

  /** Resolves or rejects with the outcome of the item. An item that has joined a batch can no longer leave it. */
  async do(item: Item, options: WaitOptions): Promise<Result> {
    options.signal?.throwIfAborted();
    if (this.underWay) {
      if (this.waiting.length >= this.limits.waiting) throw new TooManyWaiting();
      const outcome = await this.wait(item, options);
      if (outcome) return resultOf(outcome);
    }
    return this.lead(item);
  }

  private async lead(item: Item): Promise<Result> {
    this.underWay = true;
    const followers: ((outcome: ItemOutcome<Result>) => void)[] = [];
    let items: readonly Item[] | undefined;
    const close = () => (items ??= [item, ...this.admit(followers)]);
    const allFailed = (reason: unknown) =>
      [item, ...followers].map((): ItemOutcome<Result> => ({ status: 'rejected', reason }));
    const [own, ...others] = await this.work(close).catch(allFailed);
    this.handOver();
    for (const [index, settle] of followers.entries()) settle(others[index] as ItemOutcome<Result>);
    return resultOf(own as ItemOutcome<Result>);
  }

  /** `underWay` stays true until the next leader runs, so a caller that arrives in between waits behind it. */
  private handOver(): void {
    const [next] = this.waiting;
    if (next) next.lead();
    else this.underWay = false;
  }

  private admit(followers: ((outcome: ItemOutcome<Result>) => void)[]): Item[] {
    const admitted = this.waiting.slice(0, this.limits.batch - 1);
    for (const { join } of admitted) followers.push(join());
    return admitted.map(({ item }) => item);
  }

  /** Resolves with the outcome of an item that has joined a batch, or with undefined when the caller must lead. */
  private wait(item: Item, options: WaitOptions): Promise<ItemOutcome<Result> | undefined> {
    return boundedWait<ItemOutcome<Result> | undefined>(options, (end) => {
      const lead = () => {
        end()(undefined);
      };
      const entry = { item, lead, join: end };
      this.waiting.push(entry);
      return () => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
      };
    });
  }
}

function resultOf<Result>(outcome: ItemOutcome<Result>): Result {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
