import { Inject, Injectable, Logger } from '@nestjs/common';
import { checkpoint } from '../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { RedisStockReplaced, OutcomeUnknown, SoldOut } from '../errors.js';
import { Ledger } from '../stock/ledger.js';
import { type Deduction, type DeductOrder } from '../stock/order.js';
import { known } from '../stock/stock.js';
import { RedisStock } from './redis-stock.js';
import { type Reservation, Reservations } from './reservations.js';

/**
 * The second half of a sale whose units were reserved in Redis: the guarded write in MySQL. Redis only keeps load away from
 * the row. The WHERE alone prevents overselling, whatever Redis has lost.
 */
@Injectable()
export class ReservedSales {
  private readonly log = new Logger('RedisStock');

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
    private readonly redisStock: RedisStock,
    private readonly reservations: Reservations,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async sell(order: DeductOrder, reservation: Reservation): Promise<Deduction> {
    const { goodsId } = order;
    let sale: Deduction;
    await checkpoint('afterReservation');
    try {
      sale = await this.database.transaction((sql) => this.write(sql, order, reservation), order);
    } catch (error) {
      await this.compensate(goodsId, reservation, error);
      throw error;
    }
    // The sale is committed. If this fails, the reconciler finds the reservation, and the order in the ledger.
    await this.reservations.settle(goodsId, reservation.number).catch(() => undefined);
    return sale;
  }

  private async write(sql: Sql, order: DeductOrder, reservation: Reservation): Promise<Deduction> {
    const { goodsId, quantity, strategy, idempotencyKey = null, requestHash = null } = order;
    const { affectedRows } = await sql.change(
      `UPDATE goods SET inventory = inventory - ?, version = version + 1, last_writer = ?
       WHERE id = ? AND gate_id = ? AND inventory >= ?`,
      [quantity, strategy, goodsId, reservation.gateId, quantity],
    );
    const row = await sql.one<{ inventory: number; runId: number; gateId: string | null }>(
      'SELECT inventory, run_id AS runId, gate_id AS gateId FROM goods WHERE id = ?',
      [goodsId],
    );
    const { inventory, runId } = known(goodsId, row);
    await checkpoint('afterWrite');
    if (affectedRows === 0) {
      if (row?.gateId !== reservation.gateId) throw new RedisStockReplaced();
      throw new SoldOut(goodsId, runId, quantity);
    }
    const { number, attempts, remaining } = reservation;
    const waitedMs = Math.round(reservation.waitedMs);
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
        toldRemaining: remaining,
      },
    ]);
    return { orderId: number, goodsId, quantity, remaining, attempts, waitedMs };
  }

  /**
   * Nothing was written, so the units are returned to Redis. When MySQL refused units that Redis had sold, the Redis stock
   * is wrong and is rebuilt. When the outcome is unknown, nothing is returned: the reservation stays, and the reconciler
   * looks into the ledger later.
   */
  private async compensate(goodsId: number, { number, gateId }: Reservation, error: unknown): Promise<void> {
    if (error instanceof OutcomeUnknown) return;
    const stockIsWrong = error instanceof SoldOut || error instanceof RedisStockReplaced;
    try {
      if (stockIsWrong) await this.redisStock.rebuild(goodsId, { id: gateId });
      else await this.reservations.returnUnits(goodsId, number);
    } catch (failure) {
      this.log.warn(`order ${number} is left to the reconciler: ${(failure as Error).message}`);
    }
  }
}
