import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { UnknownGoods } from '../errors.js';
import { Gate, type GateState } from '../gate/gate.js';
import { inFlight as quantityInFlight } from '../gate/in-flight.js';
import { type StockPlace } from './stock.js';
import { judge, type Judgement } from './verdict.js';

export interface Audit extends Judgement {
  readonly runId: number;
  readonly initial: number;
  readonly sold: number;
  readonly remaining: number;
  readonly redisRemaining: number | null;
  /** Accepted in Redis and not in the ledger yet, or returned in the ledger and not in Redis yet; null while Redis does not answer. */
  readonly inFlight: number | null;
  readonly orders: number;
}

interface RunRow {
  readonly runId: number;
  readonly initial: number;
  readonly inRow: number;
  readonly inSegments: number;
  readonly smallestRefused: number | null;
  readonly stockIn: StockPlace;
  readonly brokenPromises: number;
}

interface Totals {
  readonly orders: number;
  readonly gateOrders: number;
  readonly sold: number;
  readonly returned: number;
  readonly lowestAfter: number | null;
  readonly brokenLinks: number;
}

/** How often to look for a moment in which the Redis stock does not change, before the books are judged without it. */
const LOOKS = 5;

/** Reads the books of a goods' present run and has them judged. One snapshot, so that it is right in mid-run too. */
@Injectable()
export class Auditor {
  constructor(
    private readonly database: Database,
    private readonly gate: Gate,
  ) {}

  /** Redis and MySQL have no snapshot in common; but a gate that is the same before and after was so in between. */
  async audit(goodsId: number): Promise<Audit> {
    for (let look = 1; ; look += 1) {
      const gate = await this.gate.read(goodsId);
      const audit = await this.auditWith(goodsId, gate);
      if (gate === null || isDeepStrictEqual(gate, await this.gate.read(goodsId))) return audit;
      if (look === LOOKS) return this.auditWith(goodsId, gate, { moving: true });
    }
  }

  /** Of a gate that moves one can neither say what is left in it, nor whether a refusal was right. */
  private auditWith(goodsId: number, gate: GateState | null, { moving } = { moving: false }): Promise<Audit> {
    return this.database.transaction(async (sql) => {
      const run = await sql.one<RunRow>(
        `SELECT runs.id AS runId, runs.initial, goods.inventory AS inRow, goods.stock_in AS stockIn,
                (SELECT COUNT(*) FROM refused_orders WHERE refused_orders.run_id = runs.id) AS brokenPromises,
                (SELECT CAST(COALESCE(SUM(inventory), 0) AS SIGNED) FROM stock_segments
                 WHERE stock_segments.run_id = runs.id) AS inSegments,
                (SELECT MIN(quantity) FROM refusals WHERE refusals.run_id = runs.id) AS smallestRefused
         FROM goods JOIN runs ON runs.id = goods.run_id WHERE goods.id = ?`,
        [goodsId],
      );
      if (!run) throw new UnknownGoods(goodsId);
      const totals = await this.totals(sql, run);
      const facts = {
        ...run,
        ...totals,
        remaining: run.inRow + run.inSegments,
        // Stock that Redis may not sell at the moment is not counted there.
        redisRemaining:
          !moving && run.stockIn === 'redis' && gate?.id && gate.runId === run.runId ? gate.stock : null,
        smallestRefused: moving ? null : run.smallestRefused,
        inFlight: gate && run.stockIn === 'redis' ? await quantityInFlight(sql, run.runId, gate) : 0,
        duplicateKeys: await this.usedTwice(sql, run.runId, 'idempotency_key'),
        reusedLeases: await this.usedTwice(sql, run.runId, 'lease_seq'),
      };
      const { runId, initial, sold, remaining, redisRemaining, inFlight, orders } = facts;
      const { verdict, oversoldBy, invariants } = judge(facts);
      return {
        verdict,
        runId,
        initial,
        sold,
        remaining,
        redisRemaining,
        inFlight: gate === null && this.gate.configured ? null : inFlight,
        orders,
        oversoldBy,
        invariants,
      };
    });
  }

  private async totals(sql: Sql, run: RunRow): Promise<Totals> {
    // Order ids follow the commits of a stock row, so each order must begin where the one before it on the same row
    // ended. The row in `goods` begins with the whole stock, a segment with nothing.
    const row = await sql.one<Totals>(
      `SELECT COUNT(kind = 'SALE' OR NULL) AS orders,
              COUNT(number) AS gateOrders,
              CAST(COALESCE(SUM(CASE kind WHEN 'SALE' THEN quantity WHEN 'RETURN' THEN -quantity END), 0) AS SIGNED) AS sold,
              CAST(COALESCE(SUM(IF(kind = 'RETURN', quantity, 0)), 0) AS SIGNED) AS returned,
              MIN(after_inventory) AS lowestAfter,
              COUNT(before_inventory <> expected OR NULL) AS brokenLinks
       FROM (SELECT kind, number, quantity, before_inventory, after_inventory,
                    COALESCE(LAG(after_inventory) OVER (PARTITION BY segment ORDER BY id),
                             IF(segment IS NULL, ?, 0)) AS expected
             FROM orders WHERE run_id = ?) AS ledger`,
      [run.initial, run.runId],
    );
    return row as Totals;
  }

  private async usedTwice(sql: Sql, runId: number, column: 'idempotency_key' | 'lease_seq'): Promise<number> {
    const row = await sql.one<{ n: number }>(
      `SELECT COUNT(*) AS n FROM (
         SELECT 1 FROM orders WHERE run_id = ? AND ${column} IS NOT NULL GROUP BY ${column} HAVING COUNT(*) > 1
       ) AS repeated`,
      [runId],
    );
    return row?.n ?? 0;
  }
}
