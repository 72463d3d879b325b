import { Inject, Injectable, Logger } from '@nestjs/common';
import { checkpoint } from '../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { GateMoved, OutcomeUnknown, SoldOut } from '../errors.js';
import { Ledger } from '../goods/ledger.js';
import { known } from '../goods/stock.js';
import { type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { Gate } from './gate.js';
import { type Pass, Reservations } from './reservations.js';

/**
 * The second half of a sale whose first half was Redis: the guarded write in MySQL. The gate keeps the crowd away
 * from the row; that nothing is oversold, whatever has become of the gate, is the work of this WHERE alone.
 */
@Injectable()
export class GatedSales {
  private readonly log = new Logger('Gate');

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
    private readonly gate: Gate,
    private readonly reservations: Reservations,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async sell(order: DeductOrder, pass: Pass): Promise<Deduction> {
    const { goodsId } = order;
    let sale: Deduction;
    await checkpoint('afterGate');
    try {
      sale = await this.database.transaction((sql) => this.write(sql, order, pass), order);
    } catch (error) {
      await this.makeGood(goodsId, pass, error);
      throw error;
    }
    // The sale stands. Should this fail, the reconciler finds the record and sees that nothing is owed.
    await this.reservations.settle(goodsId, pass.number).catch(() => undefined);
    return sale;
  }

  private async write(sql: Sql, order: DeductOrder, pass: Pass): Promise<Deduction> {
    const { goodsId, quantity, strategy, idempotencyKey = null, requestHash = null } = order;
    const { affectedRows } = await sql.change(
      `UPDATE goods SET inventory = inventory - ?, version = version + 1, last_writer = ?
       WHERE id = ? AND gate_id = ? AND inventory >= ?`,
      [quantity, strategy, goodsId, pass.gateId, quantity],
    );
    const row = await sql.one<{ inventory: number; runId: number; gateId: string | null }>(
      'SELECT inventory, run_id AS runId, gate_id AS gateId FROM goods WHERE id = ?',
      [goodsId],
    );
    const { inventory, runId } = known(goodsId, row);
    await checkpoint('afterWrite');
    if (affectedRows === 0) {
      if (row?.gateId !== pass.gateId) throw new GateMoved();
      throw new SoldOut(goodsId, runId, quantity);
    }
    const { number, attempts, remaining } = pass;
    const waitedMs = Math.round(pass.waitedMs);
    await this.ledger.numbered(sql, goodsId, [
      {
        number,
        strategy,
        quantity,
        idempotencyKey,
        requestHash,
        runId,
        attempts,
        waitedMs,
        before: inventory + quantity,
        instance: this.settings.instance,
        gateRemaining: remaining,
      },
    ]);
    return { orderId: number, goodsId, quantity, remaining, attempts, waitedMs };
  }

  /**
   * Nothing was written, surely: what was taken from the gate goes back. When MySQL refused what the gate had let
   * pass, it is the gate that is wrong, and it is counted anew. When nobody knows, nothing is given back: the
   * record stays, and the reconciler asks the ledger later.
   */
  private async makeGood(goodsId: number, { number, gateId }: Pass, error: unknown): Promise<void> {
    if (error instanceof OutcomeUnknown) return;
    const gateIsWrong = error instanceof SoldOut || error instanceof GateMoved;
    try {
      if (gateIsWrong) await this.gate.rebuild(goodsId, { id: gateId });
      else await this.reservations.giveBack(goodsId, number);
    } catch (failure) {
      this.log.warn(`order ${number} is left to the reconciler: ${(failure as Error).message}`);
    }
  }
}
