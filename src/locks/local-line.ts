import { type WaitOptions } from './bounded-wait.js';
import { Waiters } from './waiters.js';

/** The head of the line of a key. */
export class Turn<HandOff> {
  private left = false;

  constructor(
    private readonly line: LocalLine<HandOff>,
    private readonly key: string,
    /** What the previous caller at the head handed off: it belongs to this caller alone. */
    readonly inherited: HandOff | undefined,
  ) {}

  /** Ends the turn and hands `handOff` to the next waiter; false when no caller waits. A second call has no effect. */
  leave(handOff?: HandOff): boolean {
    if (this.left) return false;
    this.left = true;
    return this.line.next(this.key, handOff);
  }
}

/**
 * A line of callers per key inside this process, first come first served. All state of a key is in its line, so that no
 * key can affect another one. A key without callers costs no memory.
 */
export class LocalLine<HandOff = never> {
  private readonly lines = new Map<string, Waiters<Turn<HandOff>>>();

  /** The head of an empty line at once: no promise, no timer. */
  enterIfEmpty(key: string): Turn<HandOff> | undefined {
    if (this.lines.has(key)) return undefined;
    this.lines.set(key, new Waiters());
    return new Turn(this, key, undefined);
  }

  /** Resolves at the head of the line. */
  enter(key: string, options: WaitOptions): Promise<Turn<HandOff>> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const turn = this.enterIfEmpty(key);
    if (turn) return Promise.resolve(turn);
    return (this.lines.get(key) as Waiters<Turn<HandOff>>).wait(options);
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
  next(key: string, handOff: HandOff | undefined): boolean {
    const passedOn = this.lines.get(key)?.give(new Turn(this, key, handOff)) ?? false;
    if (!passedOn) this.lines.delete(key);
    return passedOn;
  }
}
