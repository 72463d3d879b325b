import { createHook } from 'node:async_hooks';

/** The timers that were set since, and neither fired for good nor were cleared; unreferenced ones included. */
export class Timers {
  private readonly alive = new Map<number, string>();
  private readonly hook = createHook({
    init: (id, type) => {
      if (type === 'Timeout') this.alive.set(id, new Error().stack ?? '');
    },
    destroy: (id) => {
      this.alive.delete(id);
    },
  }).enable();

  get count(): number {
    return this.alive.size;
  }

  /** Which functions set them, the innermost first. */
  get setBy(): string[] {
    return [...this.alive.values()].map((stack) => callersOf(stack).slice(0, 4).join(' < '));
  }

  stop(): void {
    this.hook.disable();
  }
}

/** The functions of a stack, without those of Node and of this file. */
function callersOf(stack: string): string[] {
  return stack
    .split('\n')
    .filter((line) => !/node:|support[\\/]timers/.test(line))
    .flatMap((line) => /at (?:async )?(?:new )?([\w.<>]+) \(/.exec(line)?.[1] ?? []);
}
