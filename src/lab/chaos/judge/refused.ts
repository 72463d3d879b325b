import { type LedgerRow } from '../evidence.js';
import { outcomeOf, type SellCall } from '../history.js';
import { type Books, couldWrite, orderIdOf, type RunBook } from './books.js';
import { groupBy } from './group-by.js';
import { type Violation } from './violation.js';

/** 4xx and 503: the ledger has nothing. So a call that was acknowledged, or got no answer, explains each sale. */
export function refused(books: Books): Violation[] {
  const unexplained = books.evidence.ledger.filter((row) => row.kind === 'SALE' && !isMade(books, row));
  const keyed = unexplained.filter(({ key }) => key !== null).flatMap((row) => byKey(books, row));
  const runs = [...books.runs.values()];
  const counted = runs.flatMap((run) =>
    byCount(
      books,
      run,
      unexplained.filter(({ key, runId }) => key === null && runId === run.id),
    ),
  );
  return [...keyed, ...counted, ...splitBaskets(books)];
}

/** Some call was told that it made this order; a replay of the key alone does not say who did. */
function isMade(books: Books, row: LedgerRow): boolean {
  return (books.acknowledgements.get(orderIdOf(row)) ?? []).some(({ call }) => !call.answer?.replayed);
}

function byKey(books: Books, row: LedgerRow): Violation[] {
  if (books.unknownSalesLike(row).length > 0) return [];
  const calls = books.withKey(row.key).filter((call) => couldWrite(call, row));
  const told = calls.map(({ n, answer }) => `#${n}: ${answer?.status ?? 'no answer'}`).join(', ');
  const sentence =
    `Order ${orderIdOf(row)} (${row.strategy}, goods ${row.goodsId}, key ${row.key ?? ''}) is in the ledger, ` +
    `but every call that could have made it was refused (${told || 'there was none'}).`;
  return [{ promise: 'refused', sentence, goodsId: row.goodsId, runId: row.runId, calls }];
}

/** Without a key nobody can say which call made which order, but each needs one whose outcome is unknown. */
function byCount(books: Books, run: RunBook, rows: readonly LedgerRow[]): Violation[] {
  const alike = groupBy(rows, ({ strategy, quantity }) => `${quantity} by ${strategy}`);
  return [...alike.values()].flatMap((group): Violation[] => {
    const [row] = group;
    if (!row) return [];
    const inRun = ({ start }: SellCall) => start <= run.ended.end;
    const explained = books.unknownSalesLike(row).filter(inRun).length;
    if (group.length <= explained) return [];
    const calls = books.sells
      .filter((call) => couldWrite(call, row) && outcomeOf(call) === 'refused')
      .filter(inRun);
    const sentence =
      `${group.length} orders of ${row.quantity} of goods ${row.goodsId} by ${row.strategy} were not acknowledged, ` +
      `but only ${explained} such calls have an unknown outcome; ${calls.length} were refused.`;
    return [{ promise: 'refused', sentence, goodsId: run.goodsId, runId: run.id, calls: calls.slice(0, 5) }];
  });
}

/** A basket is sold as a whole or not at all. Only where its key was used for nothing else can this be seen. */
function splitBaskets(books: Books): Violation[] {
  const baskets = books.sells.filter(
    ({ operation }) => operation.do === 'basket' && operation.key !== undefined,
  );
  const byKeyOfBasket = groupBy(baskets, ({ operation }) => operation.key);
  return [...byKeyOfBasket].flatMap(([key, calls]): Violation[] => {
    const [call] = calls;
    const body = JSON.stringify(call?.operation);
    if (!call || books.withKey(key).some(({ operation }) => JSON.stringify(operation) !== body)) return [];
    const rows = books.evidence.ledger.filter((row) => row.kind === 'SALE' && row.key === key);
    const lines = call.operation.items.length;
    if (rows.length % lines === 0) return [];
    const sentence = `Basket #${call.n} (${call.operation.strategy}) has ${lines} lines, but ${rows.length} of them are in the ledger.`;
    return [{ promise: 'refused', sentence, goodsId: rows[0]?.goodsId, runId: rows[0]?.runId, calls }];
  });
}
