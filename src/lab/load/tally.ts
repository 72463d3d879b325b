import { type Fairness, type LoadMeasurements, type Outcome, type Sample } from '../../contract/lab-runs.js';
import { type Receipt } from '../../contract/receipt.js';
import { type BuyerAnswer } from './answer.js';
import { type BuyerTotals, fairnessOf } from './fairness.js';
import { Latencies } from './latencies.js';

/** The name for answers that came from the gateway itself. */
export const GATEWAY = 'gateway';

/** Counts the answers that a crowd of buyers gets. */
export class OutcomeTally {
  readonly orderIds: number[] = [];
  private readonly outcomes: Record<Outcome, number> = { sold: 0, soldOut: 0, refused: 0, unknown: 0 };
  private readonly perInstance = new Map<string, number>();
  private readonly problems = new Map<string, number>();
  private readonly buyers: { sales: number; purchases: number; waitedMs: number }[];
  private readonly latencies = new Latencies();
  private readonly lately = new Latencies();
  private readonly waits = new Latencies();
  private attempts = 0;
  private mostAttempts = 0;
  private comebacks = 0;
  private began = 0;
  private ended: number | undefined;
  private lastSaleAt = 0;
  private before = { t: 0, sold: 0 };

  constructor(
    private readonly strategy: string,
    private stock: number,
    buyers: number,
  ) {
    this.buyers = Array.from({ length: buyers }, () => ({ sales: 0, purchases: 0, waitedMs: 0 }));
  }

  begin(): void {
    this.began = performance.now();
  }

  end(): void {
    this.ended = performance.now();
  }

  /** A purchase has its answer, after `ms`. */
  record(buyer: number, answer: BuyerAnswer, instance: string, ms: number): void {
    this.outcomes[answer.kind] += 1;
    this.latencies.record(ms);
    this.lately.record(ms);
    increment(this.perInstance, instance || GATEWAY);
    const totals = this.buyers[buyer];
    if (totals) {
      totals.purchases += 1;
      totals.waitedMs += ms;
      if (answer.kind === 'sold') totals.sales += 1;
    }
    if (answer.kind === 'sold') this.recordSale(answer.receipt);
    if (answer.kind === 'refused') {
      increment(this.problems, answer.type || `status ${answer.status}`);
      // Refused with a retry time, but the load had ended or the buyer had no retries left.
      if (answer.retryAfterMs !== undefined) this.comebacks += 1;
    }
    if (answer.kind === 'unknown') increment(this.problems, answer.why);
  }

  /** A buyer was refused and will retry. */
  retry(instance: string): void {
    this.comebacks += 1;
    increment(this.perInstance, instance || GATEWAY);
  }

  /** The current state, and the rate since the last sample. */
  sample(): Sample {
    const t = Math.round(performance.now() - this.began);
    const { sold } = this.outcomes;
    const seconds = Math.max(1, t - this.before.t) / 1000;
    const sample: Sample = {
      strategy: this.strategy,
      t,
      stock: this.stock,
      sold,
      soldPerSecond: Math.round((sold - this.before.sold) / seconds),
      p50: this.lately.at(50),
      p95: this.lately.at(95),
      p99: this.lately.at(99),
      outcomes: { ...this.outcomes },
      perInstance: Object.fromEntries(this.perInstance),
    };
    this.before = { t, sold };
    this.lately.clear();
    return sample;
  }

  measured(): LoadMeasurements {
    const durationMs = (this.ended ?? performance.now()) - this.began;
    const { sold, soldOut, refused, unknown } = this.outcomes;
    const sellingMs = sold === 0 ? 0 : this.lastSaleAt - this.began;
    const { p50, p95, p99 } = this.latencies.spread;
    return {
      durationMs: Math.round(durationMs),
      outcomes: { ...this.outcomes },
      throughput: perSecond(sold, sellingMs),
      answersPerSecond: perSecond(sold + soldOut + refused + unknown, durationMs),
      p50,
      p95,
      p99,
      percentiles: this.latencies.percentiles,
      perInstance: Object.fromEntries([...this.perInstance].sort()),
      attempts: {
        mean: sold === 0 ? 0 : Math.round((100 * this.attempts) / sold) / 100,
        max: this.mostAttempts,
        comebacks: this.comebacks,
      },
      waits: this.waits.spread,
      fairness: this.fairness,
      problems: Object.fromEntries(this.problems),
    };
  }

  /** The histograms, so that the caller can add up several rounds. */
  get times(): { readonly latencies: Latencies; readonly waits: Latencies } {
    return { latencies: this.latencies, waits: this.waits };
  }

  private get fairness(): Fairness {
    return fairnessOf(this.buyers satisfies readonly BuyerTotals[]);
  }

  private recordSale({ orderId, remaining, attempts, waitedMs }: Receipt): void {
    this.orderIds.push(orderId);
    this.stock = Math.min(this.stock, remaining);
    this.attempts += attempts;
    this.mostAttempts = Math.max(this.mostAttempts, attempts);
    this.waits.record(waitedMs);
    this.lastSaleAt = performance.now();
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function perSecond(count: number, ms: number): number {
  return ms <= 0 ? 0 : Math.round((10 * count * 1000) / ms) / 10;
}
