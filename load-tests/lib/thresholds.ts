/** Metrics that the summary reads per sale, in addition to the required ones. */
const REPORTED = [
  'purchases_sent',
  'purchases_ok',
  'purchases_sold_out',
  'purchases_refused',
  'purchases_unknown',
  'audit_verdict',
  'audit_initial',
  'audit_sold',
  'audit_remaining',
  'load_seconds',
  'http_req_duration',
] as const;

/** The thresholds of each sale. k6 ends with exit code 99 when one fails. */
export const REQUIRED: Readonly<Record<string, string>> = {
  oversold: 'count==0',
  lost_update: 'count==0',
  leaked: 'count==0',
  not_safe: 'count==0',
  duplicate_sales: 'count==0',
  purchases_unexpected: 'count==0',
  ledger_missing: 'count<=0',
  ledger_unexplained: 'count<=0',
  not_audited: 'count<=0',
};

export const saleMetric = (metric: string, slot: string): string => `${metric}{sale:${slot}}`;
export const sliceMetric = (metric: string, slice: number): string => `${metric}{slice:${slice}}`;

/** k6 keeps a metric per tag only if there is a threshold for it; an empty threshold never fails. */
export function thresholds(slots: readonly string[], slices: number): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const slot of slots) {
    for (const metric of REPORTED) all[saleMetric(metric, slot)] = [];
    for (const [metric, rule] of Object.entries(REQUIRED)) all[saleMetric(metric, slot)] = [rule];
  }
  for (let slice = 1; slice <= slices; slice += 1) {
    for (const metric of ['http_req_duration', 'purchases_ok']) all[sliceMetric(metric, slice)] = [];
  }
  return all;
}
