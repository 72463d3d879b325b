import { Injectable } from '@nestjs/common';
import { checkpoint } from '../checkpoints/checkpoint.js';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { Busy, SoldOut, UnknownGoods } from '../errors.js';
import { type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { Ledger, type SaleCost } from './ledger.js';

/** The columns of a goods that a deduction looks at. */
export interface StockRow {
  readonly inventory: number;
  readonly version: number;
  readonly runId: number;
}

/** A plain read: it takes no lock and sees the snapshot of its transaction. */
export async function readStock(sql: Sql, goodsId: number): Promise<StockRow> {
  return known(
    goodsId,
    await sql.one<StockRow>('SELECT inventory, version, run_id AS runId FROM goods WHERE id = ?', [goodsId]),
  );
}

export function known(goodsId: number, row: StockRow | undefined): StockRow {
  if (!row) throw new UnknownGoods(goodsId);
  return row;
}

export function requireEnough(order: DeductOrder, row: Omit<StockRow, 'version'>): void {
  if (row.inventory < order.quantity) throw new SoldOut(order.goodsId, row.runId, order.quantity);
}

/** Writes the stock that the caller worked out. The run is checked so that a late writer cannot spoil a new run. */
export async function writeStock(sql: Sql, order: DeductOrder, row: StockRow): Promise<void> {
  await checkpoint('beforeWrite');
  const { affectedRows } = await sql.change(
    'UPDATE goods SET inventory = ?, version = version + 1 WHERE id = ? AND run_id = ?',
    [row.inventory - order.quantity, order.goodsId, row.runId],
  );
  if (affectedRows === 0) throw new Busy('The stock was reset while the order was under way.');
}

/**
 * The unprotected write that every lock strategy wraps: read, compute, write the absolute value back. Nothing in
 * it notices a second writer, so whatever protects the stock is the lock around it and nothing else. A relative
 * write (`inventory - n`) would let the database hide a broken lock.
 */
@Injectable()
export class Stock {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  /** `held` is the lock around it: what it cost, and the signal that says when it is lost. */
  sellUnprotected(
    order: DeductOrder,
    held: SaleCost & { readonly signal?: AbortSignal } = {},
  ): Promise<Deduction> {
    const options = {
      goodsId: order.goodsId,
      signal: order.signal,
      ...(held.signal && { lease: held.signal }),
    };
    return this.database.transaction((sql) => this.sellUnprotectedOn(sql, order, held), options);
  }

  /** The same inside the caller's transaction. */
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
