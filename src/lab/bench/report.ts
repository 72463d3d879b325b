import { type Machine } from '../compare/machine.js';
import { type BarResult } from './bars.js';
import { type Limit } from './limits.js';

/** The parts that can be chosen with --only. */
export const PARTS = ['http', 'locks', 'scaling', 'soak', 'start', 'audit'] as const;
export type PartName = (typeof PARTS)[number];

/** The result of `lockstock bench`: the content of bench.json. */
export interface BenchReport {
  readonly format: 1;
  readonly command: string;
  readonly startedAt: string;
  readonly durationMs: number;
  /** False when it was stopped before the end. */
  readonly complete: boolean;
  /** One short round of each measurement: it shows that everything works, not how fast it is. */
  readonly quick: boolean;
  readonly machine: BenchMachine;
  readonly parts: readonly PartReport[];
  readonly bars: readonly BarResult[];
}

export interface BenchMachine extends Machine {
  /** The processor's model. */
  readonly cpu: string;
  /** Equal for two runs on one machine; it cannot be traced back to the machine's name. */
  readonly id: string;
}

export interface PartReport {
  readonly name: PartName;
  readonly tables: readonly TableReport[];
  /** What the reader has to know, such as a package that could not be measured. */
  readonly notes: readonly string[];
}

/** Measurements that are compared with each other. */
export interface TableReport {
  readonly title: string;
  readonly unit: string;
  /** What `x` of the points is; absent where the table is not a curve. */
  readonly axis?: string;
  /** Every point also has its ratio to these. */
  readonly relativeTo?: readonly string[];
  readonly points: readonly Point[];
}

export interface Point {
  readonly name: string;
  readonly x?: number;
  /** The value of each round. */
  readonly rounds: readonly number[];
  /** Milliseconds of the slowest percent, in each round. */
  readonly p99?: readonly number[];
  /** Further results, of the median over the rounds. */
  readonly facts?: Readonly<Record<string, number>>;
  /** What kept the value from being higher. */
  readonly limit?: Limit;
}
