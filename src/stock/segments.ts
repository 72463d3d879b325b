import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { type Sql } from '../database/sql.js';
import { Conflict, SoldOut, StockElsewhere, UnknownGoods } from '../errors.js';
import { Ledger, type Move } from './ledger.js';
import { type DeductOrder } from './order.js';
import { splitEvenly } from './split-evenly.js';
import { lockStock, type StockPlace } from './stock.js';

/** The strategy that sells from segments: the ledger names it for moves of stock. */
const SEGMENTED = 'segmented';

/** The stock of a run in several rows. Each unit is in one of them, so it cannot be sold twice. */
export interface SplitStock {
  readonly runId: number;
  readonly stockIn: StockPlace;
  /** In the goods' row: not split yet, or returned there since. */
  readonly inRow: number;
  /** By segment; empty until the first split of the run. */
  readonly segments: readonly number[];
  /** All of it together. */
  readonly inventory: number;
}

interface SplitRow {
  readonly runId: number;
  readonly stockIn: StockPlace;
  readonly inRow: number;
  readonly inSegment: number | null;
}

/** One statement, so one snapshot: a unit that is being moved is counted once, in its old or its new row. */
export async function readSplitStock(sql: Sql, goodsId: number): Promise<SplitStock> {
  const rows = await sql.rows<SplitRow>(
    `SELECT goods.run_id AS runId, goods.stock_in AS stockIn, goods.inventory AS inRow,
            stock_segments.inventory AS inSegment
     FROM goods LEFT JOIN stock_segments ON stock_segments.run_id = goods.run_id
     WHERE goods.id = ? ORDER BY stock_segments.segment`,
    [goodsId],
  );
  const [first] = rows;
  if (!first) throw new UnknownGoods(goodsId);
  const segments = rows.flatMap(({ inSegment }) => inSegment ?? []);
  const { runId, stockIn, inRow } = first;
  return { runId, stockIn, inRow, segments, inventory: inRow + sum(segments) };
}

/** Undefined when there is no such segment. */
export async function lockSegment(sql: Sql, runId: number, segment: number): Promise<number | undefined> {
  const row = await sql.one<{ inventory: number }>(
    'SELECT inventory FROM stock_segments WHERE run_id = ? AND segment = ? FOR UPDATE',
    [runId, segment],
  );
  return row?.inventory;
}

/** Writes the value that the caller computed under the lock of the segment. */
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

/** Writes the value that the caller computed under the lock of the goods' row. `writer`: see `NO_FOREIGN_WRITE`. */
export async function writeRow(sql: Sql, goodsId: number, inventory: number, writer: string): Promise<void> {
  await sql.change('UPDATE goods SET inventory = ?, version = version + 1, last_writer = ? WHERE id = ?', [
    inventory,
    writer,
    goodsId,
  ]);
}

/** Moves stock between its rows. All callers lock goods, segment 0, 1, 2 …, in this order, so they cannot deadlock. */
@Injectable()
export class Segments {
  constructor(
    private readonly ledger: Ledger,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Collects all stock of the goods and splits it evenly; the first segment gets the order's quantity in addition to its
   * share. This splits the stock of a new run, takes in what was returned to the goods' row, and serves an
   * order that is larger than any one segment.
   */
  async dealFor(sql: Sql, order: DeductOrder, seen: SplitStock): Promise<{ runId: number; segment: number }> {
    const { goodsId, quantity } = order;
    const { runId, stockIn } = await lockStock(sql, goodsId);
    if (stockIn === 'redis') throw new StockElsewhere(goodsId);
    // Creates the segments of the run, or locks those that exist.
    const count = Math.max(this.settings.stockSegments, seen.segments.length);
    await sql.change(
      'INSERT INTO stock_segments (run_id, segment, inventory) VALUES ? ON DUPLICATE KEY UPDATE inventory = inventory',
      [Array.from({ length: count }, (_, segment) => [runId, segment, 0])],
    );
    // The first plain read, and all its rows are locked until COMMIT: so it is exact.
    const { inRow, segments, inventory } = await readSplitStock(sql, goodsId);
    // An instance with a larger STOCK_SEGMENTS has created segments that are not locked here.
    if (segments.length > count) throw new Conflict();
    if (inventory < quantity) throw new SoldOut(goodsId, runId, quantity);

    const shares = splitEvenly(inventory - quantity, count);
    const target = (segment: number) => (shares[segment] ?? 0) + (segment === 0 ? quantity : 0);
    await sql.change(`UPDATE goods SET stock_in = 'segments' WHERE id = ?`, [goodsId]);
    await this.move(sql, { goodsId, runId }, [
      { segment: null, before: inRow, after: 0 },
      ...segments.map((before, segment) => ({ segment, before, after: target(segment) })),
    ]);
    return { runId, segment: 0 };
  }

  /** Moves all stock into the goods' row, which the caller has locked, for strategies that sell from there. */
  async collect(sql: Sql, goodsId: number, runId: number): Promise<void> {
    await sql.rows('SELECT segment FROM stock_segments WHERE run_id = ? ORDER BY segment FOR UPDATE', [
      runId,
    ]);
    const { inRow, segments, inventory } = await readSplitStock(sql, goodsId);
    await sql.change(`UPDATE goods SET stock_in = 'mysql' WHERE id = ?`, [goodsId]);
    await this.move(sql, { goodsId, runId }, [
      { segment: null, before: inRow, after: inventory },
      ...segments.map((before, segment) => ({ segment, before, after: 0 })),
    ]);
  }

  private async move(
    sql: Sql,
    { goodsId, runId }: { goodsId: number; runId: number },
    rows: readonly Move[],
  ): Promise<void> {
    const moves = rows.filter(({ before, after }) => before !== after);
    for (const { segment, after } of moves) {
      if (segment === null) await writeRow(sql, goodsId, after, SEGMENTED);
      else await writeSegment(sql, runId, segment, after);
    }
    if (moves.length > 0) await this.ledger.moves(sql, { goodsId, runId, strategy: SEGMENTED }, moves);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
