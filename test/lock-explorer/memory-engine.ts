import { type ExclusiveEngine, type Listener } from '../../src/locks/exclusive/engine.js';
import { sleep } from '../../src/locks/sleep.js';
import { type MemoryServer } from './memory-server.js';

/** A command that was sent and not answered yet. */
export interface Request {
  readonly id: string;
  readonly key: string;
  /** Runs the command on the server. */
  execute(): unknown;
  answer(value: unknown): void;
  fail(error: Error): void;
}

export const COMMAND_TIMEOUT_MS = 1000;

/** One client of the memory server: what it sends waits here, in order, until the explorer delivers it. */
export class MemoryEngine implements ExclusiveEngine {
  readonly commandTimeoutMs = COMMAND_TIMEOUT_MS;
  readonly inFlight: Request[] = [];
  private sent = 0;
  /** Owners whose release was sent. */
  private readonly released = new Set<string>();
  private readonly wakes = new Map<string, Set<() => void>>();

  constructor(
    readonly client: string,
    private readonly server: MemoryServer,
    private readonly violated: (sentence: string) => void,
  ) {}

  attempt(key: string, owner: string, leaseMs: number, tokens: number) {
    return this.send('attempt', key, () => this.server.attempt(key, owner, leaseMs, tokens));
  }

  renew(key: string, owner: string, leaseMs: number) {
    if (this.released.has(owner))
      this.violated(`${this.client} renews ${key} after it has sent the release.`);
    return this.send('renew', key, () => this.server.renew(key, owner, leaseMs));
  }

  free(key: string, owner: string) {
    this.released.add(owner);
    return this.send('free', key, () => this.server.free(key, owner));
  }

  listen(key: string): Listener {
    const wakes = this.wakes.get(key) ?? new Set();
    this.wakes.set(key, wakes);
    // The subscription exists at once, and the first wait ends with it.
    let missed = true;
    let wake: (() => void) | undefined;
    const onMessage = () => {
      missed = true;
      wake?.();
    };
    wakes.add(onMessage);
    return {
      wait: async (ms, signal) => {
        const message = new AbortController();
        wake = () => {
          message.abort();
        };
        if (!missed) await sleep(ms, AbortSignal.any(signal ? [signal, message.signal] : [message.signal]));
        wake = undefined;
        missed = false;
      },
      close: () => {
        wakes.delete(onMessage);
        if (wakes.size === 0) this.wakes.delete(key);
      },
    };
  }

  isListening(key: string): boolean {
    return this.wakes.has(key);
  }

  wake(key: string): void {
    for (const wake of this.wakes.get(key) ?? []) wake();
  }

  close(): void {
    this.wakes.clear();
  }

  private send<T>(verb: string, key: string, run: () => T): Promise<T> {
    this.sent += 1;
    const id = `${this.client}:${verb} ${key} (${this.sent})`;
    return new Promise<T>((resolve, reject) => {
      this.inFlight.push({
        id,
        key,
        execute: run,
        answer: resolve,
        fail: reject,
      });
    });
  }
}
