import type { Guarantee } from '../../src/contract/strategy.ts';
import { type Verdict, VERDICTS } from '../../src/contract/verdict.ts';
import { isHeldToSafety } from './promise.ts';
import type { Opened, Sale } from './sale.ts';
import type { Settings } from './settings.ts';
import { REQUIRED, saleMetric, sliceMetric } from './thresholds.ts';

/** The part of k6's summary data that is used here. */
export interface Measured {
  readonly setup_data?: Opened;
  readonly options?: { readonly noColor?: boolean };
  readonly state: { readonly isStdOutTTY: boolean };
  readonly metrics: Readonly<
    Record<
      string,
      {
        readonly values: Readonly<Record<string, number>>;
        readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>>;
      }
    >
  >;
}

export interface SaleReport {
  readonly strategy: string;
  readonly safe: Guarantee;
  /** Whether a bad verdict fails the test. */
  readonly held: boolean;
  readonly goodsId: number;
  /** Null when the sale was not audited. */
  readonly verdict: Verdict | null;
  readonly initial: number;
  readonly sold: number;
  readonly remaining: number;
  readonly oversoldBy: number;
  readonly outcomes: {
    readonly sent: number;
    readonly ok: number;
    readonly soldOut: number;
    readonly refused: number;
    readonly unknown: number;
  };
  readonly seconds: number;
  readonly soldPerSecond: number;
  /** All purchases with an answer, per second. */
  readonly purchasesPerSecond: number;
  readonly latencyMs: Latency;
  /** The thresholds that failed, with their counts. */
  readonly failed: readonly { readonly metric: string; readonly count: number }[];
}

export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export interface Report {
  readonly script: string;
  readonly headline: string;
  readonly at: string;
  readonly settings: Omit<Settings, 'adminToken' | 'script' | 'report'>;
  readonly passed: boolean;
  readonly sales: readonly SaleReport[];
  /** The test in equal parts, if it is long enough. */
  readonly slices: readonly { readonly ok: number; readonly latencyMs: Latency }[];
  readonly skipped: readonly string[];
}

export function reportOf(
  measured: Measured,
  settings: Settings,
  { headline, slices }: { readonly headline: string; readonly slices: number },
): Report {
  const { baseUrl, strategies, goods, stock, vus, requests, durationS, copies, strict } = settings;
  const opened = measured.setup_data;
  const sales = (opened?.sales ?? []).map((sale) => saleReport(measured, sale, settings.strict));
  return {
    script: settings.script,
    headline,
    at: new Date().toISOString(),
    // All settings except the token.
    settings: { baseUrl, strategies, goods, stock, vus, requests, durationS, copies, strict },
    passed: sales.length > 0 && sales.every(({ failed }) => failed.length === 0),
    sales,
    slices: slicesOf(measured, slices),
    skipped: opened?.skipped ?? [],
  };
}

/** The parts that the test has reached. */
function slicesOf(measured: Measured, slices: number): Report['slices'] {
  return Array.from({ length: slices }, (_, index) => ({
    ok: value(measured, sliceMetric('purchases_ok', index + 1), 'count'),
    latencyMs: latency(measured, sliceMetric('http_req_duration', index + 1)),
  })).filter(({ latencyMs }) => latencyMs.max > 0);
}

function saleReport(measured: Measured, { slot, strategy, goodsId }: Sale, strict: boolean): SaleReport {
  const count = (metric: string) => value(measured, saleMetric(metric, slot), 'count');
  const gauge = (metric: string, field = 'value') => value(measured, saleMetric(metric, slot), field);
  const [sent, ok] = [count('purchases_sent'), count('purchases_ok')];
  const [soldOut, refused] = [count('purchases_sold_out'), count('purchases_refused')];
  const audited = count('not_audited') === 0;
  const [initial, sold] = [gauge('audit_initial'), gauge('audit_sold')];
  const seconds = gauge('load_seconds', 'max');
  return {
    strategy: strategy.name,
    safe: strategy.safe,
    held: isHeldToSafety(strategy, strict),
    goodsId,
    verdict: audited ? (VERDICTS[gauge('audit_verdict')] ?? null) : null,
    initial,
    sold,
    remaining: gauge('audit_remaining'),
    oversoldBy: Math.max(0, sold - initial),
    // Purchases that were cut off, got an unexpected answer or none: the outcome is unknown.
    outcomes: { sent, ok, soldOut, refused, unknown: sent - ok - soldOut - refused },
    seconds,
    soldPerSecond: seconds > 0 ? ok / seconds : 0,
    purchasesPerSecond: seconds > 0 ? (ok + soldOut + refused) / seconds : 0,
    latencyMs: latency(measured, saleMetric('http_req_duration', slot)),
    failed: Object.keys(REQUIRED)
      .filter((metric) => !holds(measured, saleMetric(metric, slot)))
      .map((metric) => ({ metric, count: count(metric) })),
  };
}

function latency(measured: Measured, metric: string): Latency {
  const at = (field: string) => value(measured, metric, field);
  return { p50: at('med'), p95: at('p(95)'), p99: at('p(99)'), max: at('max') };
}

/** A metric without samples has no values. */
function value({ metrics }: Measured, metric: string, field: string): number {
  return metrics[metric]?.values[field] ?? 0;
}

function holds({ metrics }: Measured, metric: string): boolean {
  return Object.values(metrics[metric]?.thresholds ?? {}).every(({ ok }) => ok);
}
