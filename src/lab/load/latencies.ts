import { build, type Histogram } from 'hdr-histogram-js';
import { type Percentile, type Spread } from '../../contract/lab-runs.js';

const SHOWN = [0, 10, 25, 50, 75, 90, 95, 99, 99.9, 100];
const LONGEST_MICROSECONDS = 10 * 60 * 1_000_000;

/** Times in a high-dynamic-range histogram: from microseconds to minutes with three digits, in constant memory. */
export class Latencies {
  private readonly histogram: Histogram = build({
    bitBucketSize: 32,
    highestTrackableValue: LONGEST_MICROSECONDS,
    numberOfSignificantValueDigits: 3,
  });

  record(ms: number): void {
    this.histogram.recordValue(Math.min(LONGEST_MICROSECONDS, Math.max(0, Math.round(ms * 1000))));
  }

  add(other: Latencies): void {
    this.histogram.add(other.histogram);
  }

  clear(): void {
    this.histogram.reset();
  }

  at(percentile: number): number {
    return this.histogram.totalCount === 0
      ? 0
      : round(this.histogram.getValueAtPercentile(percentile) / 1000);
  }

  get spread(): Spread {
    const mean = this.histogram.totalCount === 0 ? 0 : round(this.histogram.mean / 1000);
    return { mean, p50: this.at(50), p95: this.at(95), p99: this.at(99), max: this.at(100) };
  }

  get percentiles(): Percentile[] {
    return SHOWN.map((percentile) => ({ percentile, ms: this.at(percentile) }));
  }
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
