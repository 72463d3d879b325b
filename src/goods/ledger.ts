import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { type Sql } from '../database/sql.js';
import { type Deduction, type DeductOrder } from '../strategies/strategy.js';

/** What it took to get to the stock. */
export interface SaleCost {
  readonly attempts?: number | undefined;
  readonly waitedMs?: number | undefined;
}

/** What a strategy knew of the stock row when it sold. */
export interface SaleFacts extends SaleCost {
  readonly runId: number;
  readonly before: number;
  readonly fence?: number;
  readonly leaseSeq?: number;
}

/** What it knew where the stock is in several rows: `before` is of the one row that it sold from. */
export interface SegmentSaleFacts extends SaleFacts {
  readonly segment: number;
  /** Left in all rows together: what the buyer is told. */
  readonly remaining: number;
}

/** Stock that changed its row. Each row it left or came to has a line, or the next order there would seem broken. */
export interface Move {
  /** Null is the row in `goods`. */
  readonly segment: number | null;
  readonly before: number;
  readonly after: number;
}

/** A sale that passed the Redis gate, and had its number before its row. */
export interface NumberedSale {
  readonly number: number;
  readonly runId: number;
  readonly strategy: string;
  readonly quantity: number;
  readonly idempotencyKey: string | null;
  readonly instance: string;
  readonly before: number;
  readonly attempts: number;
  readonly waitedMs: number;
  /** What the buyer was told was left, where he was told before this row was written. */
  readonly gateRemaining: number | null;
}

/** Writes the append-only `orders`. Always after the stock row, so that order ids follow the commits of a goods. */
@Injectable()
export class Ledger {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  async sale(sql: Sql, order: DeductOrder, facts: SaleFacts): Promise<Deduction> {
    const { attempts = 1, waitedMs = 0 } = facts;
    const remaining = facts.before - order.quantity;
    const { insertId } = await sql.change(
      `INSERT INTO orders (kind, run_id, goods_id, strategy, quantity, idempotency_key, instance,
                           before_inventory, after_inventory, fence, lease_seq, attempts, waited_ms)
       VALUES ('SALE', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        facts.runId,
        order.goodsId,
        order.strategy,
        order.quantity,
        order.idempotencyKey ?? null,
        this.settings.instance,
        facts.before,
        remaining,
        facts.fence ?? null,
        facts.leaseSeq ?? null,
        attempts,
        Math.round(waitedMs),
      ],
    );
    const { goodsId, quantity } = order;
    return { orderId: insertId, goodsId, quantity, remaining, attempts, waitedMs: Math.round(waitedMs) };
  }

  async segmentSale(sql: Sql, order: DeductOrder, facts: SegmentSaleFacts): Promise<Deduction> {
    const { goodsId, quantity } = order;
    const { runId, segment, before, remaining, attempts = 1 } = facts;
    const waitedMs = Math.round(facts.waitedMs ?? 0);
    const { insertId } = await sql.change(
      `INSERT INTO orders (kind, run_id, goods_id, strategy, quantity, idempotency_key, instance, segment,
                           before_inventory, after_inventory, gate_remaining, attempts, waited_ms)
       VALUES ('SALE', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        runId,
        goodsId,
        order.strategy,
        quantity,
        order.idempotencyKey ?? null,
        this.settings.instance,
        segment,
        before,
        before - quantity,
        remaining,
        attempts,
        waitedMs,
      ],
    );
    return { orderId: insertId, goodsId, quantity, remaining, attempts, waitedMs };
  }

  async moves(sql: Sql, order: DeductOrder, runId: number, moves: readonly Move[]): Promise<void> {
    await sql.change(
      `INSERT INTO orders (kind, run_id, goods_id, strategy, quantity, instance, segment,
                           before_inventory, after_inventory, attempts, waited_ms) VALUES ?`,
      [
        moves.map(({ segment, before, after }) => [
          'MOVE',
          runId,
          order.goodsId,
          order.strategy,
          after - before,
          this.settings.instance,
          segment,
          before,
          after,
          1,
          0,
        ]),
      ],
    );
  }

  /** Many at once, in the order in which they took from the stock row. */
  async numbered(sql: Sql, goodsId: number, sales: readonly NumberedSale[]): Promise<void> {
    await sql.change(
      `INSERT INTO orders (kind, number, run_id, goods_id, strategy, quantity, idempotency_key, instance,
                           before_inventory, after_inventory, gate_remaining, attempts, waited_ms) VALUES ?`,
      [
        sales.map((sale) => [
          'SALE',
          sale.number,
          sale.runId,
          goodsId,
          sale.strategy,
          sale.quantity,
          sale.idempotencyKey,
          sale.instance,
          sale.before,
          sale.before - sale.quantity,
          sale.gateRemaining,
          sale.attempts,
          sale.waitedMs,
        ]),
      ],
    );
  }
}
