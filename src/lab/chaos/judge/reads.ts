import { type Call, outcomeOf } from '../history.js';
import { type IndexedEvidence, isWrittenLater, type IndexedRun } from './indexed-evidence.js';
import { stockBounds } from './stock-bounds.js';
import { type Violation } from './violation.js';

/** How long `GET /goods/:id` is cached at most. Every change empties the cache, unless Redis is down. */
const CACHED_MS = 1000;
/** During a fault a change may not empty the cache, and a paused instance answers late. */
const FAULT_MS = 10_000;

interface Seen {
  readonly goodsId: number;
  readonly inventory: number;
  readonly cached: boolean;
}

/** A read returns the stock at some moment of the call, or an earlier one if the answer came from the cache. */
export function reads(index: IndexedEvidence): Violation[] {
  return index.evidence.calls
    .filter((call) => outcomeOf(call) === 'done')
    .flatMap((call) => seenBy(call).flatMap((seen) => impossible(index, call, seen)));
}

function seenBy({ operation, answer }: Call): readonly Seen[] {
  if (operation.do === 'read') {
    const { inventory } = answer?.body as { inventory: number };
    return [{ goodsId: operation.goodsId, inventory, cached: true }];
  }
  if (operation.do !== 'list') return [];
  const all = answer?.body as readonly { id: number; inventory: number }[];
  return all.map(({ id, inventory }) => ({ goodsId: id, inventory, cached: false }));
}

function impossible(index: IndexedEvidence, call: Call, { goodsId, inventory, cached }: Seen): Violation[] {
  const runs = index.runsAt(goodsId, {
    start: call.start - (cached ? staleMs(index, goodsId) : 0),
    end: call.end,
  });
  if (runs.length === 0 || runs.some(({ promised }) => !promised)) return [];
  const bounds = runs.map((run) => boundsOf(index, run, call, cached));
  if (bounds.some(({ least, most }) => least <= inventory && inventory <= most)) return [];
  const allowed = bounds
    .map(({ least, most }) => (least === most ? `${least}` : `${least} to ${most}`))
    .join(' or ');
  const sentence = `Call #${call.n} read ${inventory} of goods ${goodsId}, but only ${allowed} can have been in stock.`;
  return [{ promise: 'reads', sentence, goodsId, runId: runs[0]?.id, calls: [call] }];
}

function boundsOf(index: IndexedEvidence, run: IndexedRun, { start, end }: Call, cached: boolean) {
  const from = cached ? start - staleMs(index, run.goodsId) : start;
  return stockBounds(index, run, { start: from, end }, 'mysql');
}

/** An order that is written to MySQL after its answer does not empty the cache again. */
function staleMs(index: IndexedEvidence, goodsId: number): number {
  if (index.faulty) return CACHED_MS + FAULT_MS;
  const later = index.evidence.ledger.some((row) => row.goodsId === goodsId && isWrittenLater(row));
  return later ? CACHED_MS : 0;
}
