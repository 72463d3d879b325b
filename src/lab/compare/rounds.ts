import {
  type Fairness,
  type LoadMeasurements,
  type LoadResult,
  type Spread,
} from '../../contract/lab-runs.js';
import { Latencies } from '../load/latencies.js';
import { type OutcomeTally } from '../load/tally.js';
import { type Speed } from './comparison.js';

/** Adds up the rounds of one strategy with one number of instances. */
export class Rounds {
  private readonly measured: LoadMeasurements[] = [];
  private readonly latencies = new Latencies();
  private readonly lockWaits = new Latencies();
  readonly results: LoadResult[] = [];

  constructor(readonly instances: number) {}

  add(tally: OutcomeTally): void {
    this.measured.push(tally.measured());
    this.latencies.add(tally.times.latencies);
    this.lockWaits.add(tally.times.waits);
  }

  get count(): number {
    return this.measured.length;
  }

  get speed(): Speed {
    const rounds = this.measured.map(({ throughput }) => throughput);
    const { p50, p95, p99 } = this.latencies.spread;
    return {
      instances: this.instances,
      throughput: Math.round(10 * mean(rounds)) / 10,
      rounds,
      p50,
      p95,
      p99,
    };
  }

  get waits(): Spread {
    return this.lockWaits.spread;
  }

  get fairness(): Fairness {
    const of = (pick: (fairness: Fairness) => number) =>
      digits(mean(this.measured.map(({ fairness }) => pick(fairness))), 3);
    return {
      sales: of(({ sales }) => sales),
      waiting: of(({ waiting }) => waiting),
      slowestShare: of(({ slowestShare }) => slowestShare),
    };
  }

  /** Attempts per sale, weighted by sales. */
  get attempts(): number {
    const tries = sum(this.measured.map(({ attempts, outcomes }) => attempts.mean * outcomes.sold));
    return this.sold === 0 ? 0 : digits(tries / this.sold, 2);
  }

  get comebacks(): number {
    return this.sold === 0
      ? 0
      : digits(sum(this.measured.map(({ attempts }) => attempts.comebacks)) / this.sold, 3);
  }

  total(outcome: 'refused' | 'unknown'): number {
    return sum(this.measured.map(({ outcomes }) => outcomes[outcome]));
  }

  private get sold(): number {
    return sum(this.measured.map(({ outcomes }) => outcomes.sold));
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

function digits(value: number, count: number): number {
  return Number(value.toFixed(count));
}
