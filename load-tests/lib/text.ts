import { isHeldToSafety } from './promise.ts';
import type { Report, SaleReport } from './report.ts';
import { table } from './table.ts';

type Paint = (code: number, text: string) => string;

const [RED, GREEN, YELLOW, BOLD, DIM] = [31, 32, 33, 1, 2] as const;

/** The report for a terminal. */
export function textOf(report: Report, colours: boolean): string {
  const paint: Paint = (code, text) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text);
  const { script, headline, sales, settings } = report;
  const lines = [
    '',
    `${paint(BOLD, `Lockstock · ${script}`)}  ${headline}  ${paint(DIM, settings.baseUrl)}`,
    '',
    ...(sales.length === 0 ? ['Nothing was measured.'] : salesTable(sales, paint)),
    ...(report.slices.length > 0 ? ['', ...slicesTable(report)] : []),
    '',
    ...sales.flatMap((sale) => remarks(sale).map((remark) => `${mark(sale, paint)} ${remark}`)),
    ...(sales.some(isExcused)
      ? [
          '  These strategies do not promise to be safe under such a load, so the test does not fail; with STRICT=1 it does.',
        ]
      : []),
    ...(report.skipped.length > 0
      ? [`- skipped, because their servers do not answer: ${report.skipped.join(', ')}`]
      : []),
    report.passed ? paint(GREEN, 'PASSED') : paint(RED, 'FAILED'),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function salesTable(sales: readonly SaleReport[], paint: Paint): string[] {
  const head = [
    'strategy',
    'goods',
    'safe',
    'verdict',
    '>sold',
    '>of',
    '>left',
    '>ok',
    '>sold out',
    '>refused',
  ];
  const rows = sales.map((sale) => {
    const { ok, soldOut, refused, unknown } = sale.outcomes;
    const { p50, p95, p99 } = sale.latencyMs;
    const numbers = [sale.sold, sale.initial, sale.remaining, ok, soldOut, refused, unknown];
    return [
      sale.strategy,
      String(sale.goodsId),
      sale.safe,
      { text: sale.verdict ?? 'no verdict', show: (text: string) => paint(colourOf(sale), text) },
      ...numbers.map(String),
      String(Math.round(sale.purchasesPerSecond)),
      ...[p50, p95, p99].map(milliseconds),
    ];
  });
  return table([...head, '>unknown', '>per s', '>p50 ms', '>p95 ms', '>p99 ms'], rows);
}

function slicesTable({ slices }: Report): string[] {
  const rows = slices.map(({ ok, latencyMs: { p50, p95, p99 } }, index) => [
    String(index + 1),
    String(ok),
    ...[p50, p95, p99].map(milliseconds),
  ]);
  return table(['part of the test', '>ok', '>p50 ms', '>p95 ms', '>p99 ms'], rows);
}

function milliseconds(value: number): string {
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}

function colourOf({ verdict, held }: SaleReport): number {
  if (verdict === 'SAFE') return GREEN;
  return held || verdict === null ? RED : YELLOW;
}

function mark({ failed }: SaleReport, paint: Paint): string {
  return failed.length > 0 ? paint(RED, '✗') : paint(YELLOW, '!');
}

/** Not safe, but the strategy did not promise to be. */
function isExcused({ verdict, held }: SaleReport): boolean {
  return verdict !== null && verdict !== 'SAFE' && !held;
}

/** The problems of a sale, in sentences. */
function remarks(sale: SaleReport): string[] {
  const { strategy, goodsId, verdict, oversoldBy, initial, sold } = sale;
  const who = `${strategy}, goods ${goodsId}:`;
  const oversold = oversoldBy > 0 ? ` by ${oversoldBy} (${sold} sold of ${initial})` : '';
  return [
    ...(isExcused(sale) ? [`${who} ${verdict}${oversold}.`] : []),
    ...sale.failed
      // Without an audit there is nothing to compare buyers' words with.
      .filter(({ metric }) => verdict !== null || !metric.startsWith('ledger_'))
      .map(({ metric, count }) => `${who} ${meaning(metric, sale, count)}`),
  ];
}

function meaning(metric: string, sale: SaleReport, count: number): string {
  const { verdict, oversoldBy, initial, sold, remaining, safe } = sale;
  const promise = isHeldToSafety({ safe }, false)
    ? `the strategy promises to be safe: ${safe}`
    : 'STRICT=1 requires it to be safe';
  switch (metric) {
    case 'oversold':
      return `oversold by ${oversoldBy}: ${sold} sold of ${initial}, although ${promise}.`;
    case 'lost_update':
      return `updates were lost: ${remaining} left + ${sold} sold, of ${initial}, although ${promise}.`;
    case 'leaked':
      return `stock leaked: ${remaining} left + ${sold} sold, of ${initial}, although ${promise}.`;
    case 'not_safe':
      return `${verdict ?? ''}, although ${promise}.`;
    case 'duplicate_sales':
      return `${count} purchases were sold again under the same key.`;
    case 'purchases_unexpected':
      return `${count} answers are not documented in the API; the first ones are printed above.`;
    case 'ledger_missing':
      return `${count} units that buyers have a receipt for are not in the ledger.`;
    case 'ledger_unexplained':
      return `${count} units are in the ledger that no buyer can have bought.`;
    default:
      return 'no verdict: the test was cut off, orders stayed in flight, or another client reset the goods.';
  }
}
