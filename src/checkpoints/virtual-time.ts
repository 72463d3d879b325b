import { AsyncResource } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

interface Timer<Owner> {
  /** Undefined: a timer of the process, which runs by itself, and is due early when the clock jumps. */
  readonly owner: Owner | undefined;
  readonly dueAt: number;
  readonly fire: () => void;
}

/** As long as a timer of Node can be. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * The timers of held requests. They do not run by themselves: a request that is held for a minute must not time out, and
 * a pause between two attempts must not make the order of commands depend on chance. Other timers are real; when the clock
 * jumps, those that are due then fire as well, such as the end of a lease.
 */
export class VirtualTime<Owner extends object> {
  private readonly timers = new Map<NodeJS.Timeout, Timer<Owner>>();
  /** By how much the clock of this process is ahead of the real one. */
  private aheadMs = 0;
  private installed = false;

  constructor(private readonly owner: () => Owner | undefined) {}

  /** Replaces the timers and the clock of this process. Only in instances of the explorer. */
  install(): void {
    if (this.installed) return;
    this.installed = true;
    const real = { setTimeout, clearTimeout, sleep: timersPromises.setTimeout };
    const now = performance.now.bind(performance);
    performance.now = () => now() + this.aheadMs;

    const set = <Args extends unknown[]>(callback: (...args: Args) => void, ms = 0, ...args: Args) => {
      const owner = this.owner();
      const fire = AsyncResource.bind(() => {
        callback(...args);
      });
      const ownFire = () => {
        this.timers.delete(handle);
        callback(...args);
      };
      const handle = owner
        ? real.setTimeout(() => undefined, NEVER_MS).unref()
        : real.setTimeout(ownFire, ms);
      this.timers.set(handle, { owner, dueAt: this.aheadMs + ms, fire });
      return handle;
    };
    globalThis.setTimeout = Object.assign(set, { __promisify__: real.setTimeout.__promisify__ });
    globalThis.clearTimeout = (timer) => {
      if (typeof timer === 'object') this.timers.delete(timer);
      real.clearTimeout(timer);
    };
    timersPromises.setTimeout = (ms, value, options) => {
      if (!this.owner()) return real.sleep(ms, value, options);
      return new Promise((resolve) => {
        // The service's pauses have no signal.
        set(() => {
          resolve(value as never);
        }, ms);
      });
    };
    syncBuiltinESMExports();
  }

  /** How long the owner's next timer takes. */
  next(owner: Owner): number | undefined {
    const next = this.firstOf(owner);
    return next && Math.max(0, next[1].dueAt - this.aheadMs);
  }

  /** Fires the owner's next timer. */
  elapse(owner: Owner): void {
    const next = this.firstOf(owner);
    if (next) this.fire(...next);
  }

  /** Time passes for the whole process at once, as after SIGSTOP and SIGCONT. */
  jump(ms: number): void {
    this.aheadMs += ms;
    const due = [...this.timers].filter(([, { dueAt }]) => dueAt <= this.aheadMs);
    // As in Node's event loop: what continues now runs before the timers that are due.
    setImmediate(() => {
      for (const [handle, timer] of due) if (this.timers.has(handle)) this.fire(handle, timer);
    });
  }

  private fire(handle: NodeJS.Timeout, { fire }: Timer<Owner>): void {
    clearTimeout(handle);
    fire();
  }

  private firstOf(owner: Owner): [NodeJS.Timeout, Timer<Owner>] | undefined {
    const own = [...this.timers].filter(([, timer]) => timer.owner === owner);
    return own.sort(([, a], [, b]) => a.dueAt - b.dueAt)[0];
  }
}
