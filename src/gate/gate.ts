import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { Conflict } from '../errors.js';
import { known, type StockRow } from '../goods/stock.js';
import { Script } from '../locks/index.js';
import { RedisConnection } from '../redis/redis.module.js';
import { acceptedOrder, type AcceptedOrder, pairs } from './accepted-order.js';
import { ALL_GATES, gateKeys } from './gate-keys.js';

const CLOSE = new Script<string[][] | null>(new URL('./close-gate.lua', import.meta.url));
const OPEN = new Script<0 | 1>(new URL('./open-gate.lua', import.meta.url));
const READ = new Script<ReadAnswer>(new URL('./read-gate.lua', import.meta.url));

export interface GateState {
  /** Null when there is no gate. */
  readonly id: string | null;
  readonly runId: number;
  readonly stock: number;
  /** Quantities by order number: passed, and on their way into the ledger. */
  readonly reservations: ReadonlyMap<number, number>;
  /** Quantities by order number: on their way back. */
  readonly returns: ReadonlyMap<number, number>;
  readonly orders: readonly AcceptedOrder[];
}

/** The gate that is known to be wrong: by its id, or that there is none, or whichever there is. */
export type WrongGate = { readonly id: string } | 'missing' | 'any';

/**
 * The stock as Redis counts it. It is a copy: MySQL has the truth, and `goods.gate_id` names the one gate that may
 * sell it. Whenever the copy is missing or in doubt it is made again, with a new id, under the lock of the goods'
 * row; whoever had passed the old gate then fails at the WHERE of his write (docs/adr/0008).
 */
@Injectable()
export class Gate {
  private readonly rebuilding = new Map<number, Promise<void>>();

  constructor(
    private readonly redis: RedisConnection,
    private readonly database: Database,
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

  /**
   * Counts the stock anew, unless somebody else has replaced the wrong gate already. One count at a time is enough for
   * all who know a gate to be wrong; who doubts any gate needs one that begins after he came.
   */
  rebuild(goodsId: number, wrong: WrongGate): Promise<void> {
    const running = this.rebuilding.get(goodsId);
    if (running && wrong !== 'any') return running;
    const rebuilt = Promise.resolve(running)
      .catch(() => undefined)
      .then(() => this.countAnew(goodsId, wrong))
      .finally(() => {
        if (this.rebuilding.get(goodsId) === rebuilt) this.rebuilding.delete(goodsId);
      });
    this.rebuilding.set(goodsId, rebuilt);
    return rebuilt;
  }

  private async countAnew(goodsId: number, wrong: WrongGate): Promise<void> {
    await this.reopening(goodsId, async (sql, open) => {
      const row = await sql.one<StockRow>(
        'SELECT inventory, version, run_id AS runId FROM goods WHERE id = ? FOR UPDATE',
        [goodsId],
      );
      await open(known(goodsId, row), wrong);
    });
  }

  /**
   * A transaction that opens a gate as its last step, with the goods' row locked. Should it fail after that, the gate
   * is closed again: nobody may sell on the word of a transaction that never was.
   */
  async reopening<T>(
    goodsId: number,
    work: (sql: Sql, open: (row: Omit<StockRow, 'version'>, wrong: WrongGate) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const id = randomUUID();
    try {
      return await this.database.transaction((sql) =>
        work(sql, (row, wrong) => this.replace(sql, goodsId, row, { wrong, id })),
      );
    } catch (error) {
      await this.close(goodsId, { id }).catch(() => undefined);
      throw error;
    }
  }

  private async replace(
    sql: Sql,
    goodsId: number,
    { runId, inventory }: Omit<StockRow, 'version'>,
    { wrong, id }: { readonly wrong: WrongGate; readonly id: string },
  ): Promise<void> {
    const waiting = await this.close(goodsId, wrong);
    if (!waiting) return;
    const owed = await this.notInLedger(
      sql,
      waiting.filter((order) => order.runId === runId),
    );
    await sql.change('UPDATE goods SET gate_id = ? WHERE id = ?', [id, goodsId]);
    const { gate, stock, reservations, returns, orders } = gateKeys(goodsId);
    const opened = await this.redis.run(async (client) => {
      await client.sadd(ALL_GATES, goodsId);
      return OPEN.run(client, [gate, stock, reservations, returns, orders], [id, runId, inventory - owed]);
    });
    if (opened === 0) throw new Conflict();
  }

  /** The accepted orders that wait for MySQL, or undefined when the wrong gate is gone already. */
  private async close(goodsId: number, wrong: WrongGate): Promise<AcceptedOrder[] | undefined> {
    const { gate, orders } = gateKeys(goodsId);
    const id = wrong === 'any' ? '*' : wrong === 'missing' ? '' : wrong.id;
    const answer = await this.redis.run((client) => CLOSE.run(client, [gate, orders], [id]));
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

/** Which of these order numbers the ledger has. */
export async function writtenNumbers(sql: Sql, numbers: readonly number[]): Promise<Set<number>> {
  if (numbers.length === 0) return new Set();
  const rows = await sql.rows<{ number: number }>('SELECT number FROM orders WHERE number IN (?)', [numbers]);
  return new Set(rows.map(({ number }) => number));
}
