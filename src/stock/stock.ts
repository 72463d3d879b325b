import { Injectable } from '@nestjs/common';
import { checkpoint } from '../checkpoints/checkpoint.js';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { Busy, Conflict, SoldOut, StockElsewhere, UnknownGoods } from '../errors.js';
import { Ledger, type SaleCost } from './ledger.js';
import { type Deduction, type DeductOrder } from './order.js';
import { retryConflicts } from './retry-conflicts.js';

/** The one store that may sell a goods at the moment: its row, Redis, or the segments (docs/adr/0020). */
export type StockPlace = 'mysql' | 'redis' | 'segments';

/** The columns of a goods that a deduction reads. */
export interface StockRow {
  readonly inventory: number;
  readonly version: number;
  readonly runId: number;
  readonly stockIn: StockPlace;
}

export const STOCK_COLUMNS = 'inventory, version, run_id AS runId, stock_in AS stockIn';

/**
 * The condition of every absolute write. A write by another strategy, or a return, since the row was read is a conflict.
 * A write by the same strategy is not detected: preventing it is the task of its lock, and a broken lock must show.
 * Parameters: the strategy's name, the version that was read.
 */
export const NO_FOREIGN_WRITE = `stock_in = 'mysql' AND (last_writer = ? OR version = ?)`;

/** A plain read: it takes no lock and sees the snapshot of its transaction. */
export async function readStock(sql: Sql, goodsId: number): Promise<StockRow> {
  return known(
    goodsId,
    await sql.one<StockRow>(`SELECT ${STOCK_COLUMNS} FROM goods WHERE id = ?`, [goodsId]),
  );
}

/** A read that locks the row until COMMIT. */
export async function lockStock(sql: Sql, goodsId: number): Promise<StockRow> {
  return known(
    goodsId,
    await sql.one<StockRow>(`SELECT ${STOCK_COLUMNS} FROM goods WHERE id = ? FOR UPDATE`, [goodsId]),
  );
}

export function known<Row>(goodsId: number, row: Row | undefined): Row {
  if (!row) throw new UnknownGoods(goodsId);
  return row;
}

/** Throws when the goods are not sold from their row at the moment, or when the row has too little stock. */
export function requireEnough(order: DeductOrder, row: Omit<StockRow, 'version'>): void {
  if (row.stockIn !== 'mysql') throw new StockElsewhere(order.goodsId);
  if (row.inventory < order.quantity) throw new SoldOut(order.goodsId, row.runId, order.quantity);
}

/** Called when a relative write changed no row: throws when the stock is too low, or when another store has it. */
export async function whyNotTaken(sql: Sql, order: DeductOrder): Promise<Conflict> {
  // A locking read: a plain one shows the snapshot of this transaction, in which the stock may have been enough.
  requireEnough(order, await lockStock(sql, order.goodsId));
  return new Conflict();
}

/** Writes the stock that the caller computed. The run is checked so that a late writer cannot change a new run. */
export async function writeStock(sql: Sql, order: DeductOrder, row: StockRow): Promise<void> {
  await checkpoint('beforeWrite');
  const { goodsId, quantity, strategy } = order;
  const { affectedRows } = await sql.change(
    `UPDATE goods SET inventory = ?, version = version + 1, last_writer = ?
     WHERE id = ? AND run_id = ? AND ${NO_FOREIGN_WRITE}`,
    [row.inventory - quantity, strategy, goodsId, row.runId, strategy, row.version],
  );
  if (affectedRows === 0) throw await whyNotWritten(sql, goodsId, row);
}

/** Why a write that named the run, the place and the version of the row changed nothing. */
export async function whyNotWritten(sql: Sql, goodsId: number, read: StockRow): Promise<Busy> {
  // A locking read: a plain one would show the snapshot of this transaction again.
  const row = await lockStock(sql, goodsId);
  if (row.runId !== read.runId)
    return new Busy('The stock was reset while the order was in flight. Nothing was sold; retry.');
  return row.stockIn === 'mysql' ? new Conflict() : new StockElsewhere(goodsId);
}

/**
 * The unprotected write that every lock strategy wraps: read, compute, write the absolute value. Nothing in it detects
 * a second writer of the same strategy, so only the lock around it protects the stock. A relative write (`inventory - n`) would let the database hide a broken lock.
 */
@Injectable()
export class Stock {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  /** `held` is the lock around the sale: what it cost, and the signal that is aborted when it is lost. */
  sellUnprotected(
    order: DeductOrder,
    held: SaleCost & { readonly signal?: AbortSignal } = {},
  ): Promise<Deduction> {
    const options = {
      goodsId: order.goodsId,
      signal: order.signal,
      ...(held.signal && { lease: held.signal }),
    };
    // The conflict is a write by another strategy or a return: read again, in a new transaction, under the same lock.
    return retryConflicts(order, () =>
      this.database.transaction((sql) => this.sellUnprotectedOn(sql, order, held), options),
    );
  }

  /** The same inside the caller's transaction; the caller retries a conflict. */
  async sellUnprotectedOn(sql: Sql, order: DeductOrder, cost: SaleCost = {}): Promise<Deduction> {
    const row = await readStock(sql, order.goodsId);
    requireEnough(order, row);
    await checkpoint('afterRead');
    await writeStock(sql, order, row);
    await checkpoint('afterWrite');
    return this.ledger.sale(sql, order, {
      attempts: cost.attempts,
      waitedMs: cost.waitedMs,
      runId: row.runId,
      before: row.inventory,
    });
  }
}
