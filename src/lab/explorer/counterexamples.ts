import { type Choice } from './model.js';
import { type PartialOrder, switchesOf } from './partial-order.js';
import { type Played } from './replay.js';

interface Candidate {
  readonly ids: readonly string[];
  /** The same run in the order in which it was found. */
  readonly found: readonly string[];
  readonly switches: number;
}

/** How many of the simplest schedules are kept: when the first cannot be repeated, the next one is played. */
const KEPT = 5;

/** The schedules that broke the strategy, each in its simplest form: fewest context switches, then fewest steps. */
export class Counterexamples {
  private readonly kept: Candidate[] = [];

  add(order: PartialOrder): void {
    const path = order.fewestSwitches() ?? [...order.steps.keys()];
    const steps = path.map((index) => order.steps[index] as Choice);
    const ids = steps.map(({ id }) => id);
    this.kept.push({ ids, found: order.steps.map(({ id }) => id), switches: switchesOf(steps) });
    // The last comparison only makes the order deterministic.
    this.kept.sort(
      (a, b) =>
        a.switches - b.switches || a.ids.length - b.ids.length || (a.ids.join() < b.ids.join() ? -1 : 1),
    );
    this.kept.length = Math.min(this.kept.length, KEPT);
  }

  async shortest(
    replay: (ids: readonly string[]) => Promise<Played | undefined>,
  ): Promise<Played | undefined> {
    for (const ids of [...this.kept.map((one) => one.ids), ...this.kept.map((one) => one.found)]) {
      const played = await replay(ids);
      if (played) return played;
    }
    return undefined;
  }
}
