import { isDeepStrictEqual } from 'node:util';
import { Injectable, Logger } from '@nestjs/common';
import { type Audit } from '../contract/audit.js';
import { Database } from '../database/database.js';
import { UnknownGoods } from '../errors.js';
import { inFlight as quantityInFlight } from '../redis-stock/in-flight.js';
import { RedisStock, type RedisStockState } from '../redis-stock/redis-stock.js';
import { LedgerTotals } from '../stock/ledger-totals.js';
import { type StockPlace } from '../stock/stock.js';
import { judge } from '../stock/verdict.js';
import { ConfirmedAudit } from './confirmed-audit.js';
import { OneAtATime } from '../redis-stock/one-at-a-time.js';

interface RunRow {
  readonly runId: number;
  readonly initial: number;
  readonly inRow: number;
  readonly inSegments: number;
  readonly smallestRefused: number | null;
  readonly stockIn: StockPlace;
  readonly brokenPromises: number;
}

/** How often to look for a moment in which the Redis stock does not change. After that, the ledger is judged without it. */
const LOOKS = 5;

/**
 * Reads the ledger and the stock of a goods' current run in one snapshot, and judges them. An instance runs one audit of a
 * goods at a time, on connections that are reserved for audits.
 */
@Injectable()
export class Auditor {
  private readonly log = new Logger('Audit');
  private readonly totals = new LedgerTotals((runId) => {
    this.log.warn(`The ledger of run ${runId} has lines that were not counted. All lines are counted again.`);
  });
  private readonly confirmed = new ConfirmedAudit(
    (goodsId) => this.auditOnce(goodsId),
    (goodsId) => {
      this.totals.forget(goodsId);
    },
  );
  private readonly audits = new OneAtATime((goodsId: number) => this.confirmed.of(goodsId));

  constructor(
    private readonly database: Database,
    private readonly redisStock: RedisStock,
  ) {}

  audit(goodsId: number): Promise<Audit> {
    return this.audits.run(goodsId);
  }

  /** Redis and MySQL have no common snapshot. But if the Redis stock is the same before and after the read of MySQL, it did not change. */
  private async auditOnce(goodsId: number): Promise<Audit> {
    for (let look = 1; ; look += 1) {
      const redisState = await this.redisStock.read(goodsId);
      const audit = await this.auditWith(goodsId, redisState);
      if (redisState === null || isDeepStrictEqual(redisState, await this.redisStock.read(goodsId)))
        return audit;
      if (look === LOOKS) return this.auditWith(goodsId, redisState, { moving: true });
    }
  }

  /** `moving`: the Redis stock changed during every attempt, so neither it nor the refusals can be judged. */
  private auditWith(
    goodsId: number,
    redisState: RedisStockState | null,
    { moving } = { moving: false },
  ): Promise<Audit> {
    return this.database.transaction(
      async (sql) => {
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
        const totals = await this.totals.read(sql, { goodsId, ...run });
        const inRedis = run.stockIn === 'redis';
        const facts = {
          ...run,
          ...totals,
          remaining: run.inRow + run.inSegments,
          // Null while Redis may not sell the goods.
          redisRemaining:
            !moving && inRedis && redisState?.id && redisState.runId === run.runId ? redisState.stock : null,
          smallestRefused: moving ? null : run.smallestRefused,
          inFlight: redisState && inRedis ? await quantityInFlight(sql, run.runId, redisState) : 0,
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
          inFlight: redisState === null && this.redisStock.configured ? null : inFlight,
          orders,
          oversoldBy,
          invariants,
        };
      },
      { purpose: 'audit' },
    );
  }
}
