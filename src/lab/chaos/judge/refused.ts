import { type LedgerRow } from '../evidence.js';
import { outcomeOf, type SellCall } from '../history.js';
import { type IndexedEvidence, couldWrite, orderIdOf, type IndexedRun } from './indexed-evidence.js';
import { groupBy } from './group-by.js';
import { type Violation } from './violation.js';

/** After 4xx and 503 the ledger has nothing. So each sale is explained by a call that was acknowledged or got no answer. */
export function refused(index: IndexedEvidence): Violation[] {
  const unexplained = index.evidence.ledger.filter((row) => row.kind === 'SALE' && !isMade(index, row));
  const keyed = unexplained.filter(({ key }) => key !== null).flatMap((row) => byKey(index, row));
  const runs = [...index.runs.values()];
  const counted = runs.flatMap((run) =>
    byCount(
      index,
      run,
      unexplained.filter(({ key, runId }) => key === null && runId === run.id),
    ),
  );
  return [...keyed, ...counted, ...splitBaskets(index)];
}

/** Whether a call was answered with this order as a new sale. A replay alone does not show which call made it. */
function isMade(index: IndexedEvidence, row: LedgerRow): boolean {
  return (index.acknowledgements.get(orderIdOf(row)) ?? []).some(({ call }) => !call.answer?.replayed);
}

function byKey(index: IndexedEvidence, row: LedgerRow): Violation[] {
  if (index.unknownSalesLike(row).length > 0) return [];
  const calls = index.withKey(row.key).filter((call) => couldWrite(call, row));
  const told = calls.map(({ n, answer }) => `#${n}: ${answer?.status ?? 'no answer'}`).join(', ');
  const sentence =
    `Order ${orderIdOf(row)} (${row.strategy}, goods ${row.goodsId}, key ${row.key ?? ''}) is in the ledger, ` +
    `but every call that could have made it was refused (${told || 'there was none'}).`;
  return [{ promise: 'refused', sentence, goodsId: row.goodsId, runId: row.runId, calls }];
}

/** Without a key it is unknown which call made which order. But each order needs a call with an unknown outcome. */
function byCount(index: IndexedEvidence, run: IndexedRun, rows: readonly LedgerRow[]): Violation[] {
  const alike = groupBy(rows, ({ strategy, quantity }) => `${quantity} by ${strategy}`);
  return [...alike.values()].flatMap((group): Violation[] => {
    const [row] = group;
    if (!row) return [];
    const inRun = ({ start }: SellCall) => start <= run.ended.end;
    const explained = index.unknownSalesLike(row).filter(inRun).length;
    if (group.length <= explained) return [];
    const calls = index.sells
      .filter((call) => couldWrite(call, row) && outcomeOf(call) === 'refused')
      .filter(inRun);
    const sentence =
      `${group.length} orders of ${row.quantity} of goods ${row.goodsId} by ${row.strategy} were not acknowledged, ` +
      `but only ${explained} such calls have an unknown outcome; ${calls.length} were refused.`;
    return [{ promise: 'refused', sentence, goodsId: run.goodsId, runId: run.id, calls: calls.slice(0, 5) }];
  });
}

/** A basket is sold as a whole or not at all. This can be checked only when its key was used for nothing else. */
function splitBaskets(index: IndexedEvidence): Violation[] {
  const baskets = index.sells.filter(
    ({ operation }) => operation.do === 'basket' && operation.key !== undefined,
  );
  const byKeyOfBasket = groupBy(baskets, ({ operation }) => operation.key);
  return [...byKeyOfBasket].flatMap(([key, calls]): Violation[] => {
    const [call] = calls;
    const body = JSON.stringify(call?.operation);
    if (!call || index.withKey(key).some(({ operation }) => JSON.stringify(operation) !== body)) return [];
    const rows = index.evidence.ledger.filter((row) => row.kind === 'SALE' && row.key === key);
    const lines = call.operation.items.length;
    if (rows.length % lines === 0) return [];
    const sentence = `Basket #${call.n} (${call.operation.strategy}) has ${lines} lines, but ${rows.length} of them are in the ledger.`;
    return [{ promise: 'refused', sentence, goodsId: rows[0]?.goodsId, runId: rows[0]?.runId, calls }];
  });
}
