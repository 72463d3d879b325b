import { type Deduction } from '../../src/stock/order.js';
import { type Plan } from './plan.js';

/** What the buyer was told. `refused`: nothing was sold (503). */
export type Told =
  | { readonly kind: 'sold'; readonly sale: Deduction }
  | { readonly kind: 'sold-out' | 'repeated' | 'gone' | 'refused' | 'unknown'; readonly why?: string };

export interface LedgerLine {
  readonly id: number;
  /** Names the order: see `nameOf`. */
  readonly strategy: string;
  readonly quantity: number;
  readonly idempotencyKey: string | null;
  readonly before: number;
  readonly after: number;
}

export interface History {
  readonly plan: Plan;
  /** In order of arrival; undefined when an order was not answered. */
  readonly told: readonly (Told | undefined)[];
  /** In order of their ids, without lines that the test itself wrote. */
  readonly ledger: readonly LedgerLine[];
  /** Keys that the test itself has sold, and the number of lines that the ledger had before. */
  readonly soldElsewhere: readonly { readonly key: string; readonly linesBefore: number }[];
  readonly remaining: number;
  /** Whether a fault was injected after which an order may be answered "refused" or "unknown". */
  readonly faulted: boolean;
}

/**
 * Compares a history with orders that are served one after the other, in order of arrival. The answer "unknown" leaves both
 * possibilities open: the ledger shows which one it was. Returns the first difference.
 */
export function judge({
  plan,
  told,
  ledger,
  soldElsewhere,
  remaining,
  faulted,
}: History): string | undefined {
  let left = plan.stock;
  let next = 0;
  const used = new Set<string>();
  for (const [index, order] of plan.orders.entries()) {
    const answer = told[index];
    const name = `order ${index} (${order.quantity}${order.key === undefined ? '' : `, ${order.key}`})`;
    if (!answer) return `${name} was not answered`;
    const elsewhere = soldElsewhere.some(({ key, linesBefore }) => key === order.key && linesBefore <= next);
    const repeated = order.key !== undefined && (used.has(order.key) || elsewhere);
    const line = ledger[next];
    const isInLedger =
      answer.kind === 'sold' || (answer.kind === 'unknown' && line?.strategy === nameOf(index));
    if (isInLedger) {
      if (repeated) return `${name} was sold although its key had sold`;
      if (order.quantity > left) return `${name} was sold although only ${left} were left`;
      if (!line) return `${name} was told that it was sold, but it is not in the ledger`;
      if (line.strategy !== nameOf(index) || line.idempotencyKey !== (order.key ?? null))
        return `${name} is not line ${line.id} of the ledger, which is the next one`;
      if (line.before !== left || line.after !== left - order.quantity)
        return `${name}: the ledger says ${line.before} → ${line.after}, but ${left} were left`;
      if (answer.kind === 'sold' && (answer.sale.orderId !== line.id || answer.sale.remaining !== line.after))
        return `${name} was told order ${answer.sale.orderId} and ${answer.sale.remaining} left, but the ledger says ${line.id} and ${line.after}`;
      left -= order.quantity;
      next += 1;
      if (order.key !== undefined) used.add(order.key);
      continue;
    }
    if (answer.kind === 'sold-out' && order.quantity <= left)
      return `${name} was told "sold out", but ${left} were left`;
    if (answer.kind === 'repeated' && !repeated && !soldElsewhere.some(({ key }) => key === order.key))
      return `${name} was told that its key had sold, but it had not`;
    if (answer.kind === 'gone' && order.hangsUpAfterMs === undefined)
      return `${name} was "gone", but its client was there`;
    if ((answer.kind === 'refused' || answer.kind === 'unknown') && !faulted)
      return `${name} was answered "${answer.kind}" (${answer.why ?? ''}) without a fault`;
  }
  if (next !== ledger.length) return `the ledger has ${ledger.length} lines, but ${next} orders were sold`;
  if (remaining !== left) return `the stock row says ${remaining}, but ${left} are left`;
  return undefined;
}

/** The strategy under which an order is sold, so that its line can be found. */
export function nameOf(index: number): string {
  return `batch-${index}`;
}
