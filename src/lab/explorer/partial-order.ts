import { type Choice, independent } from './model.js';

/** More states than this are not counted. */
const LARGEST = 100_000;

/**
 * The order that the dependencies of a run require: a step comes after its causes, and after the earlier steps on which
 * it depends. All runs with the same order end the same; they differ only in the order of steps that commute.
 */
export class PartialOrder {
  /** By step, all steps that must come before it. */
  private readonly before: readonly ReadonlySet<number>[];

  constructor(readonly steps: readonly Choice[]) {
    const before: Set<number>[] = [];
    for (const [index, step] of steps.entries()) {
      const past = new Set<number>();
      const add = (earlier: number) => {
        past.add(earlier);
        for (const one of before[earlier] ?? []) past.add(one);
      };
      step.causes.forEach(add);
      for (let earlier = index - 1; earlier >= 0; earlier -= 1) {
        const other = steps[earlier];
        if (other && !past.has(earlier) && !independent(other, step)) add(earlier);
      }
      before.push(past);
    }
    this.before = before;
  }

  precedes(first: number, second: number): boolean {
    return this.before[second]?.has(first) ?? false;
  }

  /** Pairs of steps that depend on each other only directly: they could also have come in the other order. */
  races(): { readonly first: number; readonly second: number }[] {
    return this.steps.flatMap((step, second) =>
      [...(this.before[second] ?? [])]
        .filter((first) => !step.causes.includes(first) && !this.isBetween(first, second))
        .map((first) => ({ first, second })),
    );
  }

  /** The steps of `after` that can come first: those that need none of the others. */
  initials(after: readonly number[]): number[] {
    return after.filter((step) => !after.some((other) => this.precedes(other, step)));
  }

  /** How many runs have this order; undefined when there are too many states to count them. */
  linearizations(): bigint | undefined {
    const known = new Map<string, bigint>();
    const count = (done: ReadonlySet<number>): bigint => {
      if (done.size === this.steps.length) return 1n;
      const key = keyOf(done);
      const found = known.get(key);
      if (found !== undefined) return found;
      if (known.size > LARGEST) throw new TooMany();
      const sum = this.next(done).reduce((total, step) => total + count(new Set([...done, step])), 0n);
      known.set(key, sum);
      return sum;
    };
    try {
      return count(new Set());
    } catch (error) {
      if (error instanceof TooMany) return undefined;
      throw error;
    }
  }

  /** The run of this order with the fewest context switches; undefined when there are too many states. */
  fewestSwitches(): number[] | undefined {
    type Rest = { readonly switches: number; readonly path: readonly number[] };
    const known = new Map<string, Rest>();
    const best = (done: ReadonlySet<number>, last: string): Rest => {
      if (done.size === this.steps.length) return { switches: 0, path: [] };
      const key = `${keyOf(done)} ${last}`;
      const found = known.get(key);
      if (found) return found;
      if (known.size > LARGEST) throw new TooMany();
      let least: Rest | undefined;
      for (const step of this.next(done)) {
        const { actor, fault } = this.steps[step] as Choice;
        const now = fault ? last : actor;
        const rest = best(new Set([...done, step]), now);
        const switches = rest.switches + (last === '' || now === last ? 0 : 1);
        if (!least || switches < least.switches) least = { switches, path: [step, ...rest.path] };
      }
      const result = least as Rest;
      known.set(key, result);
      return result;
    };
    try {
      return [...best(new Set(), '').path];
    } catch (error) {
      if (error instanceof TooMany) return undefined;
      throw error;
    }
  }

  private next(done: ReadonlySet<number>): number[] {
    return [...this.steps.keys()].filter(
      (step) => !done.has(step) && [...(this.before[step] ?? [])].every((earlier) => done.has(earlier)),
    );
  }

  private isBetween(first: number, second: number): boolean {
    return [...(this.before[second] ?? [])].some((step) => this.precedes(first, step));
  }
}

class TooMany extends Error {}

function keyOf(done: ReadonlySet<number>): string {
  return [...done].sort((a, b) => a - b).join(',');
}

/** How often the actor changes from one step to the next. */
export function switchesOf(steps: readonly Choice[]): number {
  const actors = steps.filter(({ fault }) => !fault).map(({ actor }) => actor);
  return actors.filter((actor, index) => index > 0 && actor !== actors[index - 1]).length;
}
