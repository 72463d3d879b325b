import { Injectable } from '@nestjs/common';
import { type LockstockError, Conflict, AlreadySold, SoldOut } from '../errors.js';
import { Script } from '../locks/index.js';
import { RedisConnection } from '../redis/redis.module.js';
import { type DeductOrder } from '../strategies/strategy.js';
import { Gate } from './gate.js';
import { gateKeys } from './gate-keys.js';

const GIVE_BACK = new Script<0 | 1>(new URL('./give-back.lua', import.meta.url));

/** An order that the gate has let pass: it may now try to write itself into MySQL. */
export interface Pass {
  readonly number: number;
  readonly gateId: string;
  readonly attempts: number;
  readonly waitedMs: number;
}

/**
 * Who has passed the gate leaves a record at it, in the same step, and takes it away when his order is in the ledger.
 * The record of somebody who died in between is how the reconciler finds what he took.
 */
@Injectable()
export class Reservations {
  constructor(
    private readonly redis: RedisConnection,
    private readonly gate: Gate,
  ) {}

  /** What the record says: the quantity, and the key, so that a twin of the order can be told that it is under way. */
  record({ quantity, idempotencyKey }: DeductOrder): string {
    return idempotencyKey === undefined ? String(quantity) : `${quantity} ${idempotencyKey}`;
  }

  async giveBack(goodsId: number, number: number): Promise<void> {
    const { stock, reservations } = gateKeys(goodsId);
    await this.redis.run((client) => GIVE_BACK.run(client, [stock, reservations], [number]));
  }

  /** The order is in the ledger. */
  async settle(goodsId: number, number: number): Promise<void> {
    await this.redis.run((client) => client.hdel(gateKeys(goodsId).reservations, String(number)));
  }

  /** Called before the COMMIT that gives stock back in MySQL, with the goods' row locked. */
  async announceReturn(goodsId: number, number: number, quantity: number): Promise<void> {
    await this.redis.run((client) => client.hset(gateKeys(goodsId).returns, String(number), quantity));
  }

  /** Called after it. */
  async completeReturn(goodsId: number, number: number): Promise<void> {
    const { stock, returns } = gateKeys(goodsId);
    await this.redis.run((client) => GIVE_BACK.run(client, [stock, returns], [number]));
  }

  /** There is no gate: it is built, and the order tries again. */
  async afterMissingGate(goodsId: number): Promise<Conflict> {
    await this.gate.rebuild(goodsId, 'missing');
    return new Conflict();
  }

  /** The gate has too few; but for a twin of an order that has just taken the last one this is no reason to give up. */
  async refusal(order: DeductOrder, runId: number): Promise<LockstockError> {
    const { goodsId, idempotencyKey, quantity } = order;
    if (idempotencyKey !== undefined) {
      const records = await this.redis.run((client) => client.hvals(gateKeys(goodsId).reservations));
      if (records.some((record) => record.endsWith(` ${idempotencyKey}`))) return new AlreadySold();
    }
    return new SoldOut(goodsId, runId, quantity);
  }
}
