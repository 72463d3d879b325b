import { type Patience, Waiters } from './waiters.js';

/** The head of the line of a key. */
export class Turn<Baton> {
  private left = false;

  constructor(
    private readonly line: LocalLine<Baton>,
    private readonly key: string,
    /** What the previous caller at the head passed on: it belongs to this caller alone. */
    readonly inherited: Baton | undefined,
  ) {}

  /** Ends the turn and passes `baton` to the next waiter; false when nobody waits. A second call has no effect. */
  leave(baton?: Baton): boolean {
    if (this.left) return false;
    this.left = true;
    return this.line.next(this.key, baton);
  }
}

/**
 * A line of callers per key inside this process, first come first served. All state of a key is in its line, so that no
 * key can affect another one. A key without callers costs no memory.
 */
export class LocalLine<Baton = never> {
  private readonly lines = new Map<string, Waiters<Turn<Baton>>>();

  /** The head of an empty line at once: no promise, no timer. */
  enterIfEmpty(key: string): Turn<Baton> | undefined {
    if (this.lines.has(key)) return undefined;
    this.lines.set(key, new Waiters());
    return new Turn(this, key, undefined);
  }

  /** Resolves at the head of the line. */
  enter(key: string, patience: Patience): Promise<Turn<Baton>> {
    const { signal } = patience;
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const turn = this.enterIfEmpty(key);
    if (turn) return Promise.resolve(turn);
    return (this.lines.get(key) as Waiters<Turn<Baton>>).wait(patience);
  }

  /** How many callers wait for the key. */
  waiting(key: string): number {
    return this.lines.get(key)?.size ?? 0;
  }

  /** Keys that are held or waited for. */
  get size(): number {
    return this.lines.size;
  }

  /** For `Turn` alone: the next waiter gets the head of the line. */
  next(key: string, baton: Baton | undefined): boolean {
    const passedOn = this.lines.get(key)?.give(new Turn(this, key, baton)) ?? false;
    if (!passedOn) this.lines.delete(key);
    return passedOn;
  }
}
