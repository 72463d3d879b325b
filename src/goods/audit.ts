import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { UnknownGoods } from '../errors.js';
import { RedisStock } from './redis-stock.js';
import { judge, type Judgement } from './verdict.js';

export interface Audit extends Judgement {
  readonly runId: number;
  readonly initial: number;
  readonly sold: number;
  readonly remaining: number;
  readonly redisRemaining: number | null;
  readonly orders: number;
}

interface RunRow {
  readonly runId: number;
  readonly initial: number;
  readonly remaining: number;
  readonly smallestRefused: number | null;
}

interface Totals {
  readonly orders: number;
  readonly sold: number;
  readonly returned: number;
  readonly lowestAfter: number | null;
  readonly brokenLinks: number;
}

/** Reads the books of a goods' present run and has them judged. One snapshot, so that it is right in mid-run too. */
@Injectable()
export class Auditor {
  constructor(
    private readonly database: Database,
    private readonly redisStock: RedisStock,
  ) {}

  async audit(goodsId: number): Promise<Audit> {
    const redisRemaining = await this.redisStock.read(goodsId);
    return this.database.transaction(async (sql) => {
      const run = await sql.one<RunRow>(
        `SELECT runs.id AS runId, runs.initial, goods.inventory AS remaining,
                (SELECT MIN(quantity) FROM refusals WHERE refusals.run_id = runs.id) AS smallestRefused
         FROM goods JOIN runs ON runs.id = goods.run_id WHERE goods.id = ?`,
        [goodsId],
      );
      if (!run) throw new UnknownGoods(goodsId);
      const totals = await this.totals(sql, run);
      const facts = {
        ...run,
        ...totals,
        redisRemaining,
        inFlight: 0,
        duplicateKeys: await this.usedTwice(sql, run.runId, 'idempotency_key'),
        reusedLeases: await this.usedTwice(sql, run.runId, 'lease_seq'),
      };
      const { runId, initial, sold, remaining, orders } = facts;
      const { verdict, oversoldBy, invariants } = judge(facts);
      return { verdict, runId, initial, sold, remaining, redisRemaining, orders, oversoldBy, invariants };
    });
  }

  private async totals(sql: Sql, run: RunRow): Promise<Totals> {
    // Order ids follow the commits of a goods, so each order must begin where the one before it ended.
    const row = await sql.one<Totals>(
      `SELECT COUNT(kind = 'SALE' OR NULL) AS orders,
              CAST(COALESCE(SUM(IF(kind = 'SALE', quantity, -quantity)), 0) AS SIGNED) AS sold,
              CAST(COALESCE(SUM(IF(kind = 'RETURN', quantity, 0)), 0) AS SIGNED) AS returned,
              MIN(after_inventory) AS lowestAfter,
              COUNT(before_inventory <> expected OR NULL) AS brokenLinks
       FROM (SELECT kind, quantity, before_inventory, after_inventory,
                    COALESCE(LAG(after_inventory) OVER (ORDER BY id), ?) AS expected
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
