import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { Script } from '../locks/index.js';
import { RedisConnection } from '../redis/redis.module.js';
import { Segments } from '../stock/segments.js';
import { lockStock, type StockRow } from '../stock/stock.js';
import { acceptedOrder, type AcceptedOrder, pairs } from './accepted-order.js';
import { OrderWriter, type Written, writtenNumbers } from './order-writer.js';
import { ALL_REDIS_STOCKS, redisStockKeys } from './redis-stock-keys.js';

const CLOSE = new Script<string[][] | null>(new URL('./close-stock.lua', import.meta.url));
const OPEN = new Script<0 | 1>(new URL('./open-stock.lua', import.meta.url));
const READ = new Script<ReadAnswer>(new URL('./read-stock.lua', import.meta.url));

export interface RedisStockState {
  /** Null when Redis has no stock of the goods. */
  readonly id: string | null;
  readonly runId: number;
  readonly stock: number;
  /** Quantities by order number: taken in Redis, and not in the ledger yet. */
  readonly reservations: ReadonlyMap<number, number>;
  /** Quantities by order id: returned in MySQL, and not in Redis yet. */
  readonly returns: ReadonlyMap<number, number>;
  readonly orders: readonly AcceptedOrder[];
}

/** The Redis stock that must be replaced: the one with this id, a missing one, or any. */
export type WrongStock = { readonly id: string } | 'missing' | 'any';

/**
 * The stock as Redis counts it. MySQL has the truth: `goods.stock_in` says whether Redis may sell the goods, and
 * `goods.gate_id` names the Redis stock that may. A Redis stock that is missing or in doubt is rebuilt from MySQL with a
 * new id. An order that took units from the old one then fails at the WHERE of its write (docs/adr/0008, 0020).
 */
@Injectable()
export class RedisStock {
  private readonly rebuilding = new Map<number, Promise<void>>();

  constructor(
    private readonly redis: RedisConnection,
    private readonly database: Database,
    private readonly segments: Segments,
    private readonly writer: OrderWriter,
  ) {}

  get configured(): boolean {
    return this.redis.configured;
  }

  /** Null where Redis is not configured or does not answer. */
  async read(goodsId: number): Promise<RedisStockState | null> {
    if (!this.redis.up) return null;
    const { header, stock, reservations, returns, orders } = redisStockKeys(goodsId);
    const answer = await this.redis
      .run((client) => READ.run(client, [header, stock, reservations, returns, orders], []))
      .catch(() => null);
    if (answer === null) return null;
    const [id, runId, left, reserved, returning, accepted] = answer;
    return {
      id: id === '' ? null : id,
      runId: Number(runId),
      stock: Number(left),
      reservations: quantities(reserved),
      returns: quantities(returning),
      orders: accepted.map(acceptedOrder),
    };
  }

  /** Moves the stock into Redis, for an order that found none there. */
  moveToRedis(goodsId: number): Promise<void> {
    return this.once(goodsId, { shared: true }, () => this.replace(goodsId, 'missing', { claim: true }));
  }

  /**
   * Replaces a wrong Redis stock, unless it is replaced already. Callers that name the same id share one rebuild. A caller
   * that names no id needs a rebuild that begins after its call.
   */
  rebuild(goodsId: number, wrong: WrongStock): Promise<void> {
    return this.once(goodsId, { shared: wrong !== 'any' }, () =>
      this.replace(goodsId, wrong, { claim: false }),
    );
  }

  /**
   * Closes the Redis stock, with the goods' row locked: Redis sells nothing from here on. Orders that Redis has accepted
   * are written by the caller's transaction, so that the row is complete when it commits. After its COMMIT the caller
   * reports the refused orders.
   */
  async moveToMysql(sql: Sql, goodsId: number): Promise<Written> {
    const accepted = await this.close(goodsId, 'any');
    const written = await this.writer.writeOn(sql, goodsId, accepted ?? []);
    await sql.change(`UPDATE goods SET stock_in = 'mysql', gate_id = NULL WHERE id = ?`, [goodsId]);
    return written;
  }

  /** Logs and counts the orders that the move refused; called after its COMMIT. */
  report(goodsId: number, written: Written): void {
    this.writer.report(goodsId, written);
  }

  private once(
    goodsId: number,
    { shared }: { readonly shared: boolean },
    work: () => Promise<void>,
  ): Promise<void> {
    const running = this.rebuilding.get(goodsId);
    if (running && shared) return running;
    const rebuilt = Promise.resolve(running)
      .catch(() => undefined)
      .then(work)
      .finally(() => {
        if (this.rebuilding.get(goodsId) === rebuilt) this.rebuilding.delete(goodsId);
      });
    this.rebuilding.set(goodsId, rebuilt);
    return rebuilt;
  }

  /**
   * Two transactions, because no transaction covers both MySQL and Redis. The first closes the wrong stock and writes the
   * id of its successor to MySQL. The second opens the successor, if MySQL still has its id. A process that dies in between
   * leaves no Redis stock, which the next order repairs; it never leaves a Redis stock whose id MySQL does not have.
   */
  private async replace(
    goodsId: number,
    wrong: WrongStock,
    { claim }: { readonly claim: boolean },
  ): Promise<void> {
    const id = randomUUID();
    const named = await this.database.transaction(
      async (sql) => {
        const row = await lockStock(sql, goodsId);
        const accepted = await this.close(goodsId, wrong);
        // A repair does not move stock: where Redis may not sell the goods, closing is enough.
        if (!accepted || (row.stockIn !== 'redis' && !claim)) return false;
        if (row.stockIn === 'segments') await this.segments.collect(sql, goodsId, row.runId);
        await sql.change(`UPDATE goods SET stock_in = 'redis', gate_id = ? WHERE id = ?`, [id, goodsId]);
        return true;
      },
      { goodsId },
    );
    if (named) await this.database.transaction((sql) => this.open(sql, goodsId, id), { goodsId });
  }

  private async open(sql: Sql, goodsId: number, id: string): Promise<void> {
    const row = await sql.one<StockRow & { gateId: string | null }>(
      `SELECT inventory, run_id AS runId, gate_id AS gateId FROM goods WHERE id = ? FOR UPDATE`,
      [goodsId],
    );
    if (row?.gateId !== id) return;
    const closing = randomUUID();
    const accepted = await this.close(goodsId, 'missing', closing);
    if (!accepted) return;
    const { runId, inventory } = row;
    const owed = await this.notInLedger(
      sql,
      accepted.filter((order) => order.runId === runId),
    );
    const { header, stock, reservations, returns, orders, closing: closingKey } = redisStockKeys(goodsId);
    await this.redis.run(async (client) => {
      await client.sadd(ALL_REDIS_STOCKS, goodsId);
      await OPEN.run(
        client,
        [header, stock, reservations, returns, orders, closingKey],
        [id, runId, inventory - owed, closing],
      );
    });
  }

  /** The accepted orders that are not in MySQL yet, or undefined when the wrong stock is gone already. */
  private async close(
    goodsId: number,
    wrong: WrongStock,
    closing: string = randomUUID(),
  ): Promise<AcceptedOrder[] | undefined> {
    const keys = redisStockKeys(goodsId);
    const id = wrong === 'any' ? '*' : wrong === 'missing' ? '' : wrong.id;
    const answer = await this.redis.run((client) =>
      CLOSE.run(client, [keys.header, keys.orders, keys.closing], [id, closing]),
    );
    return answer?.map(acceptedOrder);
  }

  /** The accepted units that MySQL has not deducted yet. The caller's row lock excludes the consumers meanwhile. */
  private async notInLedger(sql: Sql, accepted: readonly AcceptedOrder[]): Promise<number> {
    const written = await writtenNumbers(
      sql,
      accepted.map(({ number }) => number),
    );
    return accepted
      .filter(({ number }) => !written.has(number))
      .reduce((sum, { quantity }) => sum + quantity, 0);
  }
}

type ReadAnswer = [
  id: string,
  run: string,
  stock: string,
  reservations: string[],
  returns: string[],
  orders: string[][],
];

function quantities(flat: readonly string[]): Map<number, number> {
  return new Map(pairs(flat).map(([number, record]) => [Number(number), parseInt(record, 10)]));
}
