import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../paths.js';

const FILE = join(ROOT, 'docs/reports/compare.json');

/** By strategy, from the committed report; empty when there is none. */
export function readComparison(): ReadonlyMap<string, readonly Measurement[]> {
  if (!existsSync(FILE)) return new Map();
  return measurementsOf(JSON.parse(readFileSync(FILE, 'utf8')));
}

const Comparison = z.object({
  results: z.array(
    z.object({
      strategy: z.string(),
      instances: z.number(),
      verdict: z.string(),
      toSqlAtomic: z.number().optional(),
      toNoop: z.number().optional(),
      p50: z.number().optional(),
      p95: z.number().optional(),
      p99: z.number().optional(),
      attempts: z.number().optional(),
    }),
  ),
});

/** The speed of a strategy on its page: ratios of one run on one machine. */
export type Measurement = Omit<z.infer<typeof Comparison>['results'][number], 'strategy'>;

export function measurementsOf(report: unknown): ReadonlyMap<string, readonly Measurement[]> {
  const measurements = new Map<string, Measurement[]>();
  for (const { strategy, ...measurement } of Comparison.parse(report).results) {
    measurements.set(strategy, [...(measurements.get(strategy) ?? []), measurement]);
  }
  return measurements;
}
