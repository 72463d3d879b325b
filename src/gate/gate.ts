import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { Segments } from '../goods/segments.js';
import { lockStock, type StockRow } from '../goods/stock.js';
import { Script } from '../locks/index.js';
import { RedisConnection } from '../redis/redis.module.js';
import { acceptedOrder, type AcceptedOrder, pairs } from './accepted-order.js';
import { ALL_GATES, gateKeys } from './gate-keys.js';
import { OrderWriter, type Written, writtenNumbers } from './order-writer.js';

const CLOSE = new Script<string[][] | null>(new URL('./close-gate.lua', import.meta.url));
const OPEN = new Script<0 | 1>(new URL('./open-gate.lua', import.meta.url));
const READ = new Script<ReadAnswer>(new URL('./read-gate.lua', import.meta.url));

export interface GateState {
  /** Null when there is no gate. */
  readonly id: string | null;
  readonly runId: number;
  readonly stock: number;
  /** Quantities by order number: taken in Redis, and not in the ledger yet. */
  readonly reservations: ReadonlyMap<number, number>;
  /** Quantities by order id: returned in MySQL, and not in Redis yet. */
  readonly returns: ReadonlyMap<number, number>;
  readonly orders: readonly AcceptedOrder[];
}

/** The gate that is known to be wrong: by its id, or that there is none, or whichever there is. */
export type WrongGate = { readonly id: string } | 'missing' | 'any';

/**
 * The stock as Redis counts it. MySQL has the truth: `goods.stock_in` says whether Redis may sell the goods, and
 * `goods.gate_id` which gate may. A gate that is missing or in doubt is rebuilt from MySQL with a new id; an order that
 * passed the old one then fails at the WHERE of its write (docs/adr/0008, 0020).
 */
@Injectable()
export class Gate {
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
  async read(goodsId: number): Promise<GateState | null> {
    if (!this.redis.up) return null;
    const { gate, stock, reservations, returns, orders } = gateKeys(goodsId);
    const answer = await this.redis
      .run((client) => READ.run(client, [gate, stock, reservations, returns, orders], []))
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

  /** Moves the stock into Redis, for an order that found no gate. */
  moveToRedis(goodsId: number): Promise<void> {
    return this.once(goodsId, { shared: true }, () => this.replace(goodsId, 'missing', { claim: true }));
  }

  /**
   * Replaces a wrong gate, unless it is replaced already. One rebuild at a time serves all orders that know the same gate
   * to be wrong; a caller that doubts any gate needs a rebuild that begins after its call.
   */
  rebuild(goodsId: number, wrong: WrongGate): Promise<void> {
    return this.once(goodsId, { shared: wrong !== 'any' }, () =>
      this.replace(goodsId, wrong, { claim: false }),
    );
  }

  /**
   * Closes the gate, with the goods' row locked: Redis sells nothing from here on. Orders that it has accepted are
   * written by the caller's transaction, so that the row has the whole truth when it commits. The caller then reports
   * those that could not be kept.
   */
  async moveToMysql(sql: Sql, goodsId: number): Promise<Written> {
    const accepted = await this.close(goodsId, 'any');
    const written = await this.writer.writeOn(sql, goodsId, accepted ?? []);
    await sql.change(`UPDATE goods SET stock_in = 'mysql', gate_id = NULL WHERE id = ?`, [goodsId]);
    return written;
  }

  /** Says which orders the move could not keep; called after its COMMIT. */
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
   * Two transactions, because MySQL and Redis have none in common. The first closes the wrong gate and names its
   * successor in MySQL. The second opens the successor, if it is still the one that MySQL names. A process that dies in
   * between leaves goods without a gate, which the next order repairs; never a gate that MySQL does not know.
   */
  private async replace(
    goodsId: number,
    wrong: WrongGate,
    { claim }: { readonly claim: boolean },
  ): Promise<void> {
    const id = randomUUID();
    const named = await this.database.transaction(
      async (sql) => {
        const row = await lockStock(sql, goodsId);
        const accepted = await this.close(goodsId, wrong);
        // A repair does not move stock: where Redis may not sell the goods, a closed gate is all that is needed.
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
    const keys = gateKeys(goodsId);
    const { gate, stock, reservations, returns, orders } = keys;
    await this.redis.run(async (client) => {
      await client.sadd(ALL_GATES, goodsId);
      await OPEN.run(
        client,
        [gate, stock, reservations, returns, orders, keys.closing],
        [id, runId, inventory - owed, closing],
      );
    });
  }

  /** The accepted orders that wait for MySQL, or undefined when the wrong gate is gone already. */
  private async close(
    goodsId: number,
    wrong: WrongGate,
    closing: string = randomUUID(),
  ): Promise<AcceptedOrder[] | undefined> {
    const keys = gateKeys(goodsId);
    const id = wrong === 'any' ? '*' : wrong === 'missing' ? '' : wrong.id;
    const answer = await this.redis.run((client) =>
      CLOSE.run(client, [keys.gate, keys.orders, keys.closing], [id, closing]),
    );
    return answer?.map(acceptedOrder);
  }

  /** How much was accepted and still has to be taken from MySQL. The row lock keeps the consumers out meanwhile. */
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
