import { type LoadResult } from '../../contract/lab-runs.js';
import { milliseconds, whole } from '../report/numbers.js';
import { type Column, textTable } from '../report/text-table.js';

const COLUMNS: readonly Column<LoadResult>[] = [
  { title: 'strategy', cell: ({ strategy }) => strategy },
  { title: 'verdict', cell: ({ verdict }) => verdict },
  { title: 'sold', align: 'right', cell: ({ audit }) => `${whole(audit.sold)} of ${whole(audit.initial)}` },
  { title: 'sold out', align: 'right', cell: ({ outcomes }) => whole(outcomes.soldOut) },
  { title: 'refused', align: 'right', cell: ({ outcomes }) => whole(outcomes.refused) },
  { title: 'unknown', align: 'right', cell: ({ outcomes }) => whole(outcomes.unknown) },
  { title: 'sales/s', align: 'right', cell: ({ throughput }) => whole(throughput) },
  { title: 'p50 ms', align: 'right', cell: ({ p50 }) => milliseconds(p50) },
  { title: 'p95', align: 'right', cell: ({ p95 }) => milliseconds(p95) },
  { title: 'p99', align: 'right', cell: ({ p99 }) => milliseconds(p99) },
  { title: 'lock wait p95', align: 'right', cell: ({ waits }) => milliseconds(waits.p95) },
  { title: 'attempts', align: 'right', cell: ({ attempts }) => attempts.mean.toFixed(2) },
  { title: 'retried', align: 'right', cell: ({ attempts }) => whole(attempts.comebacks) },
];

/** The result of a load run for a terminal: the numbers, then each verdict in words. */
export function resultTable(results: readonly LoadResult[]): string {
  const sentences = results.map(
    ({ strategy, verdict, explanation, kept, promise }) =>
      `${strategy}: ${verdict}. ${explanation}${kept ? '' : ` This breaks its promise (${promise}).`}`,
  );
  return `${textTable(COLUMNS, results)}\n\n${sentences.join('\n')}`;
}
