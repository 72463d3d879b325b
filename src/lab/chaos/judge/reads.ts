import { type Call, outcomeOf } from '../history.js';
import { type Books, isWrittenLater, type RunBook } from './books.js';
import { stockBounds } from './stock-bounds.js';
import { type Violation } from './violation.js';

/** How long `GET /goods/:id` is cached at most. Every change empties the cache, unless Redis is down. */
const CACHED_MS = 1000;
/** A fault may keep a change from emptying the cache, and a paused instance answers late. */
const FAULT_MS = 10_000;

interface Seen {
  readonly goodsId: number;
  readonly inventory: number;
  readonly cached: boolean;
}

/** A read returns what was in stock at some moment of the call; from the cache, at most as long before as it lives. */
export function reads(books: Books): Violation[] {
  return books.evidence.calls
    .filter((call) => outcomeOf(call) === 'done')
    .flatMap((call) => seenBy(call).flatMap((seen) => impossible(books, call, seen)));
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

function impossible(books: Books, call: Call, { goodsId, inventory, cached }: Seen): Violation[] {
  const runs = books.runsAt(goodsId, {
    start: call.start - (cached ? staleMs(books, goodsId) : 0),
    end: call.end,
  });
  if (runs.length === 0 || runs.some(({ promised }) => !promised)) return [];
  const bounds = runs.map((run) => boundsOf(books, run, call, cached));
  if (bounds.some(({ least, most }) => least <= inventory && inventory <= most)) return [];
  const allowed = bounds
    .map(({ least, most }) => (least === most ? `${least}` : `${least} to ${most}`))
    .join(' or ');
  const sentence = `Call #${call.n} read ${inventory} of goods ${goodsId}, but only ${allowed} can have been in stock.`;
  return [{ promise: 'reads', sentence, goodsId, runId: runs[0]?.id, calls: [call] }];
}

function boundsOf(books: Books, run: RunBook, { start, end }: Call, cached: boolean) {
  const from = cached ? start - staleMs(books, run.goodsId) : start;
  return stockBounds(books, run, { start: from, end }, 'mysql');
}

/** An order that is written to MySQL after its answer does not empty the cache again. */
function staleMs(books: Books, goodsId: number): number {
  if (books.faulty) return CACHED_MS + FAULT_MS;
  const later = books.evidence.ledger.some((row) => row.goodsId === goodsId && isWrittenLater(row));
  return later ? CACHED_MS : 0;
}
