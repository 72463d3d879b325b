import { createHook } from 'node:async_hooks';

/** Counts the timers that were set since, and neither fired for good nor were cleared, with those that hold nothing up. */
export class Timers {
  private readonly alive = new Set<number>();
  private readonly hook = createHook({
    init: (id, type) => {
      if (type === 'Timeout') this.alive.add(id);
    },
    destroy: (id) => {
      this.alive.delete(id);
    },
  }).enable();

  get count(): number {
    return this.alive.size;
  }

  stop(): void {
    this.hook.disable();
  }
}
