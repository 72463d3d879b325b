import { limitOf, type Utilization, watchUtilization } from './limits.js';
import { type Point } from './report.js';
import { median, rounded } from './statistics.js';

/** One thing to measure, once per round. */
export interface BenchStep {
  readonly name: string;
  readonly x?: number;
  /** Undefined when the measurement was interrupted and must not count. */
  readonly measure: (stop: AbortSignal) => Promise<Measured | undefined>;
}

export interface Measured {
  readonly value: number;
  readonly p99?: number;
  readonly facts?: Readonly<Record<string, number>>;
  /** Of the process that made the load, if it is not this one. */
  readonly utilization?: Utilization;
}

export interface Turns {
  readonly rounds: number;
  /** The length of one measurement. */
  readonly seconds: number;
  /** Whether a round that does not count comes first: connections, compiled code, caches. */
  readonly warmUp: boolean;
  readonly stop: AbortSignal;
  readonly onStep: (progress: Progress) => void;
}

export interface Progress {
  readonly step: string;
  readonly round: number;
  readonly rounds: number;
  /** How many measurements are done, and how many there are. */
  readonly done: number;
  readonly all: number;
  /** The first measurement of its round. */
  readonly beginsRound: boolean;
}

/**
 * Measures all steps once per round, in alternating order, so that other work of the machine affects all of them. Returns the
 * points of the steps that were measured at least once.
 */
export async function takeTurns(steps: readonly BenchStep[], turns: Turns): Promise<Point[]> {
  const { rounds, warmUp, stop, onStep } = turns;
  const taken = new Map<BenchStep, Taken[]>(steps.map((step) => [step, []]));
  const first = warmUp ? 0 : 1;
  let done = 0;
  for (let round = first; round <= rounds; round += 1) {
    for (const step of round % 2 === 0 ? steps.toReversed() : steps) {
      if (stop.aborted) break;
      const all = steps.length * (rounds + 1 - first);
      onStep({ step: labelOf(step), round, rounds, done, all, beginsRound: done % steps.length === 0 });
      const utilization = watchUtilization();
      const measured = await step.measure(stop);
      done += 1;
      if (!measured || round === 0) continue;
      taken.get(step)?.push({ ...measured, utilization: measured.utilization ?? utilization() });
    }
  }
  return steps.flatMap((step) => pointOf(step, taken.get(step) ?? []));
}

interface Taken extends Measured {
  readonly utilization: Utilization;
}

function labelOf({ name, x }: BenchStep): string {
  return x === undefined ? name : `${name}, ${x}`;
}

function pointOf({ name, x }: BenchStep, taken: readonly Taken[]): Point[] {
  if (taken.length === 0) return [];
  const p99 = taken.flatMap((one) => (one.p99 === undefined ? [] : [rounded(one.p99)]));
  const limit = limitOf(taken.map(({ utilization }) => utilization));
  return [
    {
      name,
      ...(x !== undefined && { x }),
      rounds: taken.map(({ value }) => rounded(value)),
      ...(p99.length > 0 && { p99 }),
      ...factsOf(taken),
      ...(limit && { limit }),
    },
  ];
}

function factsOf(taken: readonly Taken[]): { facts?: Record<string, number> } {
  const names = new Set(taken.flatMap(({ facts }) => Object.keys(facts ?? {})));
  if (names.size === 0) return {};
  const of = (name: string) => rounded(median(taken.flatMap(({ facts }) => facts?.[name] ?? [])));
  return { facts: Object.fromEntries([...names].map((name) => [name, of(name)])) };
}
