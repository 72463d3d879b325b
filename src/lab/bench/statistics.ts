/** What several rounds of one measurement have in common. */
export interface Summary {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The middle value; with an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const above = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? above : (above + (sorted[middle - 1] ?? 0)) / 2;
}

export function summary(values: readonly number[]): Summary {
  if (values.length === 0) return { median: 0, least: 0, most: 0 };
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/**
 * The ratios of two measurements, round by round: the two values of one round were measured within seconds, so a slow
 * moment of the machine affects both. A round that lacks either value has no ratio.
 */
export function ratios(over: readonly number[], under: readonly number[]): number[] {
  return over.flatMap((value, round) => {
    const base = under[round];
    return base === undefined || base <= 0 ? [] : [value / base];
  });
}

/** No more digits than are significant, so that reports stay small. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** What one instance used at a time. */
export interface MemorySample {
  readonly minute: number;
  readonly mib: number;
}

/** MiB per hour in the second half of the samples, by least squares: the first half is the start of caches and pools. */
export function growthPerHour(samples: readonly MemorySample[]): number {
  const late = samples.slice(Math.floor(samples.length / 2));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(late.map(({ minute }) => minute));
  const y = mean(late.map(({ mib }) => mib));
  const covariance = late.reduce((sum, { minute, mib }) => sum + (minute - x) * (mib - y), 0);
  const variance = late.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0);
  return variance === 0 ? 0 : (60 * covariance) / variance;
}
