import { type BuyerAnswer, type Outcome, type Outcomes, type CountedReceipt } from './answer.js';
import { type BuyerTotals, type Fairness, fairnessOf } from './fairness.js';
import { Latencies, type Percentile, type Spread } from './latencies.js';

/** What a run looks like at one moment. Counts are since the start; rate and latencies since the sample before. */
export interface Sample {
  readonly strategy: string;
  /** Milliseconds since the first request. */
  readonly t: number;
  /** The least that a receipt has said was left: answers overtake each other. */
  readonly stock: number;
  readonly sold: number;
  readonly soldPerSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly outcomes: Outcomes;
  readonly perInstance: Readonly<Record<string, number>>;
}

export interface Measured {
  readonly durationMs: number;
  readonly outcomes: Outcomes;
  /** Sales per second, until the last one. */
  readonly throughput: number;
  /** Purchases with any outcome, per second. */
  readonly answersPerSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Of the time that a purchase took its buyer, coming back included. */
  readonly percentiles: readonly Percentile[];
  readonly perInstance: Readonly<Record<string, number>>;
  /** Tries inside the service, as the receipts say; and how often buyers were told to come back later. */
  readonly attempts: { readonly mean: number; readonly max: number; readonly comebacks: number };
  /** Milliseconds that sales waited for their lock, as the receipts say. */
  readonly waits: Spread;
  readonly fairness: Fairness;
  /** Why purchases were refused or are in doubt, by type. */
  readonly problems: Readonly<Record<string, number>>;
}

/** Who answered where no instance did. */
export const GATEWAY = 'gateway';

/** Counts what a crowd is told. */
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
      // BuyerReply to come back, but the load was over, or the buyer had had enough.
      if (answer.comeBackMs !== undefined) this.comebacks += 1;
    }
    if (answer.kind === 'unknown') increment(this.problems, answer.why);
  }

  /** Somebody was told to come back later, and will. */
  sentAway(instance: string): void {
    this.comebacks += 1;
    increment(this.perInstance, instance || GATEWAY);
  }

  /** The state now, and the rate since the last look. */
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

  measured(): Measured {
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

  /** The histogram itself, for adding the runs of several rounds up. */
  get times(): { readonly latencies: Latencies; readonly waits: Latencies } {
    return { latencies: this.latencies, waits: this.waits };
  }

  private get fairness(): Fairness {
    return fairnessOf(this.buyers satisfies readonly BuyerTotals[]);
  }

  private recordSale({ orderId, remaining, attempts, waitedMs }: CountedReceipt): void {
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
