import { milliseconds, ratio, whole } from '../report/numbers.js';
import { type Column } from '../report/text-table.js';
import { type ComparedStrategy } from './comparison.js';

export interface ReportColumn extends Column<ComparedStrategy> {
  /** The value to sort by. */
  readonly value: (row: ComparedStrategy) => number | string;
  /** The meaning of the column, for a tooltip. */
  readonly meaning: string;
}

function number(
  title: string,
  meaning: string,
  value: (row: ComparedStrategy) => number | undefined,
  format: (value: number) => string,
): ReportColumn {
  return {
    title,
    meaning,
    align: 'right',
    value: (row) => value(row) ?? -1,
    cell: (row) => {
      const given = value(row);
      return given === undefined ? '–' : format(given);
    },
  };
}

function text(title: string, meaning: string, value: (row: ComparedStrategy) => string): ReportColumn {
  return { title, meaning, value, cell: value };
}

/** The columns of all reports, in their order. */
export const REPORT_COLUMNS: readonly ReportColumn[] = [
  text('strategy', 'the name of the strategy in the URL', ({ strategy }) => strategy),
  text('promises', 'when the strategy promises to be safe', ({ promise }) => promise.replaceAll('-', ' ')),
  text('verdict', 'the verdict of the ledger', ({ verdict }) => verdict),
  number('sales/s', 'sales per second, mean of all rounds', ({ throughput }) => throughput, whole),
  number('× sql-atomic', 'sales per second relative to sql-atomic', ({ toSqlAtomic }) => toSqlAtomic, ratio),
  number(
    '× no-op',
    'sales per second relative to the no-op POST, which sells nothing',
    ({ toNoop }) => toNoop,
    ratio,
  ),
  number(
    'p50 ms',
    'half of the purchases had their outcome within this time',
    ({ p50 }) => p50,
    milliseconds,
  ),
  number('p95', '95 % of the purchases had their outcome within this time', ({ p95 }) => p95, milliseconds),
  number('p99', '99 % of the purchases had their outcome within this time', ({ p99 }) => p99, milliseconds),
  number(
    'lock wait p95',
    '95 % of the sales waited at most this many ms for their lock',
    ({ waits }) => waits.p95,
    milliseconds,
  ),
  number(
    'attempts',
    'attempts inside the service per sale',
    ({ attempts }) => attempts,
    (value) => value.toFixed(2),
  ),
  number(
    'retries',
    'retries of the clients (after 503 and 429) per sale',
    ({ comebacks }) => comebacks,
    (value) => value.toFixed(2),
  ),
  number(
    'fairness',
    "Jain's index of sales per buyer: 1 means that all buyers got the same number",
    ({ fairness }) => fairness.sales,
    (value) => value.toFixed(2),
  ),
  number(
    'slowest buyer',
    'purchases of the slowest buyer relative to the mean',
    ({ fairness }) => fairness.slowestShare,
    (value) => value.toFixed(2),
  ),
];
