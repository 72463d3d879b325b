import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { type Sql } from '../database/sql.js';
import { Conflict, UnknownGoods } from '../errors.js';
import { type DeductOrder } from '../strategies/strategy.js';
import { evenly } from './evenly.js';
import { Ledger, type Move } from './ledger.js';
import { known, requireEnough, type StockRow } from './stock.js';

/** The stock of a run in several rows. Each piece is in one of them, so nobody can sell it from two. */
export interface SplitStock {
  readonly runId: number;
  /** In `goods`: not dealt out yet, or given back there since. */
  readonly inRow: number;
  /** By segment; empty until the first deal of the run. */
  readonly segments: readonly number[];
  /** All of it together. */
  readonly inventory: number;
}

interface SplitRow {
  readonly runId: number;
  readonly inRow: number;
  readonly inSegment: number | null;
}

/** One statement, so one moment: stock that is being moved is seen where it was or where it will be, and once. */
export async function readSplitStock(sql: Sql, goodsId: number): Promise<SplitStock> {
  const rows = await sql.rows<SplitRow>(
    `SELECT goods.run_id AS runId, goods.inventory AS inRow, stock_segments.inventory AS inSegment
     FROM goods LEFT JOIN stock_segments ON stock_segments.run_id = goods.run_id
     WHERE goods.id = ? ORDER BY stock_segments.segment`,
    [goodsId],
  );
  const [first] = rows;
  if (!first) throw new UnknownGoods(goodsId);
  const segments = rows.flatMap(({ inSegment }) => inSegment ?? []);
  const { runId, inRow } = first;
  return { runId, inRow, segments, inventory: inRow + sum(segments) };
}

/** Undefined when there is no such segment. */
export async function lockSegment(sql: Sql, runId: number, segment: number): Promise<number | undefined> {
  const row = await sql.one<{ inventory: number }>(
    'SELECT inventory FROM stock_segments WHERE run_id = ? AND segment = ? FOR UPDATE',
    [runId, segment],
  );
  return row?.inventory;
}

/** Writes what the caller worked out, who has locked the segment. */
export async function writeSegment(
  sql: Sql,
  runId: number,
  segment: number,
  inventory: number,
): Promise<void> {
  await sql.change('UPDATE stock_segments SET inventory = ? WHERE run_id = ? AND segment = ?', [
    inventory,
    runId,
    segment,
  ]);
}

/** The same with the row in `goods`. */
export async function writeRow(sql: Sql, goodsId: number, inventory: number): Promise<void> {
  await sql.change('UPDATE goods SET inventory = ?, version = version + 1 WHERE id = ?', [
    inventory,
    goodsId,
  ]);
}

/** Moves stock between its rows. */
@Injectable()
export class Segments {
  constructor(
    private readonly ledger: Ledger,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Collects all stock of the goods and deals it out evenly, but so that the first segment has what the order wants on
   * top of its share. This splits the stock of a new run, takes in what was given back to the goods' row, and serves an
   * order that is larger than any one segment. The rows are locked in the order goods, segment 0, 1, 2 …: whoever
   * needs several does so, hence nobody deadlocks.
   */
  async dealFor(sql: Sql, order: DeductOrder, seen: SplitStock): Promise<{ runId: number; segment: number }> {
    const { goodsId, quantity } = order;
    const locked = await sql.one<StockRow>(
      'SELECT inventory, version, run_id AS runId FROM goods WHERE id = ? FOR UPDATE',
      [goodsId],
    );
    const { runId } = known(goodsId, locked);
    // Makes the segments of the run or, where they exist, locks them.
    const count = Math.max(this.settings.stockSegments, seen.segments.length);
    await sql.change(
      'INSERT INTO stock_segments (run_id, segment, inventory) VALUES ? ON DUPLICATE KEY UPDATE inventory = inventory',
      [Array.from({ length: count }, (_, segment) => [runId, segment, 0])],
    );
    // The first plain read, with the rows ours until COMMIT: so it is exact.
    const { inRow, segments, inventory } = await readSplitStock(sql, goodsId);
    // An instance that is set to more segments has made some that are not locked here.
    if (segments.length > count) throw new Conflict();
    requireEnough(order, { runId, inventory });

    const shares = evenly(inventory - quantity, count);
    const target = (segment: number) => (shares[segment] ?? 0) + (segment === 0 ? quantity : 0);
    await this.move(sql, order, runId, [
      { segment: null, before: inRow, after: 0 },
      ...segments.map((before, segment) => ({ segment, before, after: target(segment) })),
    ]);
    return { runId, segment: 0 };
  }

  private async move(sql: Sql, order: DeductOrder, runId: number, rows: readonly Move[]): Promise<void> {
    const moves = rows.filter(({ before, after }) => before !== after);
    for (const { segment, after } of moves) {
      if (segment === null) await writeRow(sql, order.goodsId, after);
      else await writeSegment(sql, runId, segment, after);
    }
    if (moves.length > 0) await this.ledger.moves(sql, order, runId, moves);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
