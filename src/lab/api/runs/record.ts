import { z } from 'zod';
import { type RunConfig, type RunRecord, type RunSummary } from '../../../contract/lab-runs.js';
import { EventLog } from '../event-log.js';

const whole = (min: number, max: number) => z.int().min(min).max(max);

/** The body of `POST /lab/runs`. Nothing is converted, and nothing else is accepted. */
export const RunConfigBody = z.strictObject({
  strategies: z
    .array(z.string().max(64))
    .min(1)
    .max(4)
    .refine((names) => new Set(names).size === names.length, 'name each strategy once'),
  stock: whole(0, 1_000_000),
  buyers: whole(1, 1000),
  requests: whole(1, 1_000_000),
  instances: whole(1, 16).optional(),
}) satisfies z.ZodType<RunConfig>;

export function summaryOf({ id, startedAt, state, config, results, error }: RunRecord): RunSummary {
  return {
    id,
    startedAt,
    state,
    config,
    results: results.map(({ strategy, verdict, kept, oversoldBy, throughput, p50, p95, p99 }) => ({
      strategy,
      verdict,
      kept,
      oversoldBy,
      throughput,
      p50,
      p95,
      p99,
    })),
    ...(error !== undefined && { error }),
  };
}

/** The events of a run that has ended, with their original numbers. */
export function eventsOf(record: RunRecord): EventLog {
  const log = new EventLog();
  for (const strategy of record.config.strategies) {
    for (const sample of record.samples[strategy] ?? []) log.append('sample', sample);
    for (const result of record.results) if (result.strategy === strategy) log.append('result', result);
  }
  appendEnd(log, record);
  return log;
}

export function appendEnd(log: EventLog, { id, state, error }: RunRecord): void {
  log.append('end', { id, state, ...(error !== undefined && { error }) });
  log.end();
}
