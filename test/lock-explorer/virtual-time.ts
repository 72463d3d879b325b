/** Timers and the clock, under the control of the explorer. The library's code runs unchanged: it uses the globals. */
interface Timer {
  readonly id: number;
  due: number;
  readonly everyMs: number | undefined;
  readonly act: () => void;
}

const REAL = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  now: performance.now.bind(performance),
  setImmediate: globalThis.setImmediate,
};

/** Resolves when no promise can continue without the explorer. */
export function quiescent(): Promise<void> {
  return new Promise((resolve) => {
    REAL.setImmediate(resolve);
  });
}

export class VirtualTime {
  private clock = 1_000_000;
  private readonly timers = new Map<number, Timer>();
  private lastId = 0;

  get now(): number {
    return this.clock;
  }

  get pending(): number {
    return this.timers.size;
  }

  /** When the next timer is due; Infinity when there is none. */
  get next(): number {
    return Math.min(Infinity, ...[...this.timers.values()].map(({ due }) => due));
  }

  install(): void {
    const start = (act: () => void, ms: number | undefined, repeat: boolean) => {
      const delay = Math.max(1, ms ?? 0);
      const timer = {
        id: (this.lastId += 1),
        due: this.clock + delay,
        everyMs: repeat ? delay : undefined,
        act,
      };
      this.timers.set(timer.id, timer);
      const handle = { id: timer.id, unref: () => handle, ref: () => handle, hasRef: () => false };
      return handle;
    };
    const stop = (handle?: { readonly id: number }) => {
      if (handle) this.timers.delete(handle.id);
    };
    Object.assign(globalThis, {
      setTimeout: (act: () => void, ms?: number) => start(act, ms, false),
      setInterval: (act: () => void, ms?: number) => start(act, ms, true),
      clearTimeout: stop,
      clearInterval: stop,
    });
    performance.now = () => this.clock;
  }

  uninstall(): void {
    const { now, ...timers } = REAL;
    Object.assign(globalThis, timers);
    performance.now = now;
  }

  /** Moves the clock to the next timer, or to `until` if that is earlier. True when a timer has fired. */
  fireNext(until = Infinity): boolean {
    const timer = [...this.timers.values()].reduce<Timer | undefined>(
      (first, each) => (first && first.due <= each.due ? first : each),
      undefined,
    );
    if (!timer || timer.due > until) {
      if (until < Infinity) this.clock = Math.max(this.clock, until);
      return false;
    }
    this.clock = Math.max(this.clock, timer.due);
    if (timer.everyMs === undefined) this.timers.delete(timer.id);
    else timer.due = this.clock + timer.everyMs;
    timer.act();
    return true;
  }
}
