import { type Audit } from '../../contract/audit.js';
import { type ReceiptReconciliation } from '../../contract/lab-runs.js';
import { type Verdict } from '../../contract/verdict.js';

export interface Explained {
  readonly verdict: Verdict;
  readonly audit: Audit;
  readonly books: ReceiptReconciliation;
  readonly unknown: number;
  readonly refused: number;
}

/** Explains a verdict in a sentence or two. */
export function explain(run: Explained): string {
  return [VERDICTS[run.verdict](run), ...asides(run)].join(' ');
}

const VERDICTS: Readonly<Record<Verdict, (run: Explained) => string>> = {
  SAFE: ({ audit: { sold, initial } }) =>
    sold === initial
      ? `Exactly the stock was sold: ${units(sold)}, each once, and the ledger has no gap.`
      : `${units(sold)} of ${initial} sold, each once, and the ledger has no gap.`,
  OVERSOLD: ({ audit: { sold, initial, oversoldBy } }) =>
    `${units(oversoldBy)} too many ${were(oversoldBy)} sold: ${sold} from a stock of ${initial}.`,
  'LOST-UPDATE': ({ audit: { sold, initial, remaining } }) =>
    remaining + sold > initial
      ? `${units(remaining + sold - initial)} too many ${were(remaining + sold - initial)} left: ` +
        `${sold} of ${initial} were sold, but the stock row says that ${remaining} remain. Sales overwrote each other.`
      : 'Two sales started from the same stock and overwrote each other. The sums agree by chance.',
  LEAKED: ({ audit: { sold, initial, remaining, redisRemaining, inFlight } }) => {
    const left = remaining + sold === initial ? (redisRemaining ?? remaining) : remaining;
    return `${units(initial - sold - left - (inFlight ?? 0))} disappeared: ${sold} of ${initial} were sold and ${left} remain.`;
  },
  'GATE-AHEAD': ({ audit: { redisRemaining, remaining } }) =>
    `Redis would still sell ${units(redisRemaining ?? 0)}, but MySQL has only ${remaining}.`,
  DUPLICATE: () => 'A purchase that was repeated with the same key was sold twice.',
  'FALSE-SOLD-OUT': ({ audit: { remaining } }) =>
    `Buyers were told “sold out” although ${units(remaining)} ${were(remaining)} left.`,
  UNMATCHED: ({ books: { missing, repeated, unexplained } }) =>
    [
      missing > 0 &&
        `${count(missing, 'buyer has a receipt', 'buyers have receipts')} for orders that the ledger does not have.`,
      repeated > 0 &&
        `${count(repeated, 'receipt names', 'receipts name')} an order that belongs to another buyer.`,
      unexplained > 0 &&
        `${count(unexplained, 'order was', 'orders were')} written that no buyer of this run made. Did another client buy at the same time?`,
    ]
      .filter(Boolean)
      .join(' '),
};

function asides({ unknown, refused, books }: Explained): string[] {
  return [
    unknown > 0 &&
      `${count(unknown, 'buyer does', 'buyers do')} not know the outcome; the ledger has orders for ${books.boughtUnawares} of them.`,
    refused > 0 &&
      `${count(refused, 'purchase', 'purchases')} failed without a sale: the service was too busy, or the lock was not free in time.`,
  ].filter((text) => text !== false);
}

export function units(number: number): string {
  return count(number, 'unit', 'units');
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function were(number: number): string {
  return number === 1 ? 'was' : 'were';
}
