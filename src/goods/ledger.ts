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
}
