import { type Outcome, type Pick, run, type Scenario } from './run.js';
import { type VirtualTime } from './virtual-time.js';
import { type Choice } from './world.js';

export interface Exploration {
  readonly schedules: number;
  /** Runs that were cut short because they only swap steps that do not affect each other. */
  readonly pruned: number;
  readonly complete: boolean;
  readonly counterexample: Outcome | undefined;
}

/** A decision in the current schedule. */
interface Node {
  readonly choices: readonly Choice[];
  /** Choices that need not be tried here: an earlier sibling's schedules contain theirs. */
  readonly asleep: Set<string>;
  taken: Choice;
}

/**
 * Tries every schedule of a scenario, depth first, by running it again and again with another choice at the last
 * decision that has one left. Sleep sets leave out schedules that differ only in the order of independent steps.
 */
export async function exploreAll(
  scenario: Scenario,
  time: VirtualTime,
  mostSchedules = Infinity,
): Promise<Exploration> {
  const path: Node[] = [];
  let [schedules, pruned] = [0, 0];
  for (;;) {
    let depth = 0;
    const pick: Pick = (choices) => {
      const known = path[depth];
      depth += 1;
      if (known) return same(known.taken, choices);
      const asleep = inherited(path.at(-1));
      const awake = choices.filter(({ id }) => !asleep.has(id));
      const [taken] = awake;
      if (!taken) return undefined;
      path.push({ choices, asleep, taken });
      return taken;
    };
    const outcome = await run(scenario, time, pick);
    if (outcome) schedules += 1;
    else pruned += 1;
    if (outcome && outcome.violations.length > 0) {
      return { schedules, pruned, complete: false, counterexample: outcome };
    }
    if (!advance(path)) return { schedules, pruned, complete: true, counterexample: undefined };
    if (schedules >= mostSchedules) return { schedules, pruned, complete: false, counterexample: undefined };
  }
}

/** Moves to the next schedule; false when there is none. */
function advance(path: Node[]): boolean {
  for (let node = path.at(-1); node; node = path.at(-1)) {
    node.asleep.add(node.taken.id);
    const next = node.choices.find(({ id }) => !node.asleep.has(id));
    if (next) {
      node.taken = next;
      return true;
    }
    path.pop();
  }
  return false;
}

/** What sleeps after a step: what slept before it and does not depend on it. */
function inherited(parent: Node | undefined): Set<string> {
  if (!parent) return new Set();
  const { taken, choices, asleep } = parent;
  const sleepers = choices.filter(({ id }) => asleep.has(id) && id !== taken.id);
  return new Set(sleepers.filter((other) => independent(other, taken)).map(({ id }) => id));
}

function independent(a: Choice, b: Choice): boolean {
  if (a.fault && b.fault) return false;
  const all = [...a.touches, ...b.touches];
  return !all.includes('time') && new Set(all).size === all.length;
}

/** Runs repeat exactly: a choice that is not there any more means that something escaped the explorer's control. */
function same({ id }: Choice, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice.id === id);
  if (!found)
    throw new Error(`not repeatable: ${id} is not among ${choices.map((choice) => choice.id).join(', ')}`);
  return found;
}

/** Plays one schedule again; past its end, what a faultless system would do. */
export function replay(scenario: Scenario, time: VirtualTime, schedule: readonly string[]) {
  const left = schedule.filter((step) => !step.startsWith('('));
  return run(scenario, time, (choices) => {
    const next = left.shift();
    return choices.find(({ id }) => id === next) ?? choices[0];
  });
}

/** A random schedule from a seed. */
export function sample(scenario: Scenario, time: VirtualTime, seed: number): Promise<Outcome | undefined> {
  const random = randomNumbers(seed);
  return run(scenario, time, (choices) => choices[Math.floor(random() * choices.length)]);
}

/** Repeatable numbers from 0 to 1: a linear congruential generator is random enough to shuffle steps. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  for (let i = 0; i < 5; i += 1) next();
  return next;
}
