import { LocalSemaphore } from './local-semaphore.js';
import { type AcquireOptions } from './lock.js';

/** Leaves the line; leaving twice does no harm. */
export type Leave = () => void;

/** A line per key inside this process, first come first served. A key that nobody holds or wants costs no memory. */
export class LocalLine {
  private readonly lines = new Map<string, LocalSemaphore>();

  /** The head of the line at once, where nobody stands in it: no promise, no timer. */
  enterIfEmpty(key: string): Leave | undefined {
    const place = this.lines.has(key) ? undefined : this.open(key).tryAcquire();
    return place && this.leaver(key, place);
  }

  /** Resolves at the head of the line. */
  async enter(key: string, options: AcquireOptions): Promise<Leave> {
    const line = this.lines.get(key) ?? this.open(key);
    try {
      return this.leaver(key, await line.acquire(options));
    } catch (error) {
      this.forget(key);
      throw error;
    }
  }

  /** How many wait for the key. */
  waiting(key: string): number {
    return this.lines.get(key)?.waiting ?? 0;
  }

  /** Keys that are held or wanted. */
  get size(): number {
    return this.lines.size;
  }

  private open(key: string): LocalSemaphore {
    const line = new LocalSemaphore(1);
    this.lines.set(key, line);
    return line;
  }

  private leaver(key: string, giveBack: Leave): Leave {
    return () => {
      giveBack();
      this.forget(key);
    };
  }

  private forget(key: string): void {
    if (this.lines.get(key)?.held === 0) this.lines.delete(key);
  }
}
