import { isDeepStrictEqual } from 'node:util';
import { Injectable, Logger } from '@nestjs/common';
import { type Judgement, type Audit } from '../contract/audit.js';
import { Database } from '../database/database.js';
import { UnknownGoods } from '../errors.js';
import { Gate, type GateState } from '../gate/gate.js';
import { inFlight as quantityInFlight } from '../gate/in-flight.js';
import { LedgerTotals } from './ledger-totals.js';
import { OneAtATime } from './one-at-a-time.js';
import { type StockPlace } from './stock.js';
import { judge } from './verdict.js';

interface RunRow {
  readonly runId: number;
  readonly initial: number;
  readonly inRow: number;
  readonly inSegments: number;
  readonly smallestRefused: number | null;
  readonly stockIn: StockPlace;
  readonly brokenPromises: number;
}

/** How often to look for a moment in which the Redis stock does not change, before the books are judged without it. */
const LOOKS = 5;

/**
 * Reads the books of a goods' present run and has them judged. One snapshot, so that it is right in mid-run too. However
 * many ask, an instance audits a goods once at a time, and on connections that buyers never wait for.
 */
@Injectable()
export class Auditor {
  private readonly log = new Logger('Audit');
  private readonly totals = new LedgerTotals((runId) => {
    this.log.warn(`The ledger of run ${runId} has lines that no sale or return wrote. It is counted again.`);
  });
  private readonly audits = new OneAtATime((goodsId: number) => this.auditAlone(goodsId));

  constructor(
    private readonly database: Database,
    private readonly gate: Gate,
  ) {}

  audit(goodsId: number): Promise<Audit> {
    return this.audits.run(goodsId);
  }

  /** Redis and MySQL have no snapshot in common; but a gate that is the same before and after was so in between. */
  private async auditAlone(goodsId: number): Promise<Audit> {
    for (let look = 1; ; look += 1) {
      const gate = await this.gate.read(goodsId);
      const audit = await this.auditWith(goodsId, gate);
      if (gate === null || isDeepStrictEqual(gate, await this.gate.read(goodsId))) return audit;
      if (look === LOOKS) return this.auditWith(goodsId, gate, { moving: true });
    }
  }

  /** Of a gate that moves one can neither say what is left in it, nor whether a refusal was right. */
  private auditWith(goodsId: number, gate: GateState | null, { moving } = { moving: false }): Promise<Audit> {
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
          // Stock that Redis may not sell at the moment is not counted there.
          redisRemaining: !moving && inRedis && gate?.id && gate.runId === run.runId ? gate.stock : null,
          smallestRefused: moving ? null : run.smallestRefused,
          inFlight: gate && inRedis ? await quantityInFlight(sql, run.runId, gate) : 0,
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
      },
      { purpose: 'audit' },
    );
  }
}
