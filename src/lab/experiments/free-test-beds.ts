import { LabError } from '../errors.js';

interface Waiting<T> {
  readonly granted: (testBed: T) => void;
  readonly refused: (error: Error) => void;
}

/** The test beds on which no experiment runs. Experiments get one in the order in which they asked. */
export class FreeTestBeds<T> {
  private readonly free: T[];
  private readonly queue: Waiting<T>[] = [];
  private closed = false;

  constructor(testBeds: readonly T[]) {
    this.free = [...testBeds];
  }

  /** Waits for a test bed, and frees it after the work. */
  async use<Result>(work: (testBed: T) => Promise<Result>): Promise<Result> {
    const testBed = await this.acquire();
    try {
      return await work(testBed);
    } finally {
      this.add(testBed);
    }
  }

  add(testBed: T): void {
    const next = this.queue.shift();
    if (next) next.granted(testBed);
    else this.free.push(testBed);
  }

  /** Refuses every experiment that waits, and every later one. */
  close(): void {
    this.closed = true;
    for (const { refused } of this.queue.splice(0)) refused(ended());
  }

  private acquire(): Promise<T> {
    if (this.closed) return Promise.reject(ended());
    const testBed = this.free.shift();
    if (testBed !== undefined) return Promise.resolve(testBed);
    return new Promise((granted, refused) => this.queue.push({ granted, refused }));
  }
}

const ended = () => new LabError('The test beds were stopped before this experiment began.');
