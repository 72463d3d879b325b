import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { AlreadySold, Conflict, OutcomeUnknown, SoldOut } from '../errors.js';
import { Script } from '../locks/index.js';
import { RedisConnection } from '../redis/redis.module.js';
import { type DeductOrder } from '../stock/order.js';
import { answerKey, redisStockKeys } from './redis-stock-keys.js';
import { RedisStock } from './redis-stock.js';

const RETURN_UNITS = new Script<0 | 1>(new URL('./return-units.lua', import.meta.url));
const CLAIM_KEY = new Script<'no-stock' | 'repeated' | 'claimed'>(
  new URL('./claim-key.lua', import.meta.url),
);
const SOLD_OUT = new Script<0 | 1>(new URL('./sold-out.lua', import.meta.url));
const RELEASE_KEY = new Script<0 | 1>(new URL('./release-key.lua', import.meta.url));

/** The claim of a key lasts for so many times REDIS_ORDER_TIMEOUT_MS: by then the reconciler has replaced the Redis stock of the order. */
const CLAIM_TIMEOUTS = 3;

/** Units that an order has taken in Redis. The order may now be written to MySQL. */
export interface Reservation {
  readonly number: number;
  readonly gateId: string;
  /** Left in Redis. The row in MySQL may lag behind: orders of redis-lua are written there later. */
  readonly remaining: number;
  readonly attempts: number;
  readonly waitedMs: number;
}

/**
 * The step that takes units in Redis also writes a reservation, which is removed when the order is in the ledger. If the
 * instance dies in between, the reconciler finds the missing units by the reservation.
 */
@Injectable()
export class Reservations {
  constructor(
    private readonly redis: RedisConnection,
    private readonly redisStock: RedisStock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Runs `sell` while this order has claimed its Idempotency-Key, if it has one: a second order with the key is refused. */
  async withKey<T>(
    { goodsId, idempotencyKey }: DeductOrder,
    number: number,
    sell: () => Promise<T>,
  ): Promise<T> {
    if (idempotencyKey === undefined) return sell();
    const answer = answerKey(goodsId, idempotencyKey);
    const ttl = this.settings.redisOrderTimeoutMs * CLAIM_TIMEOUTS;
    const claim = await this.redis.run((client) =>
      CLAIM_KEY.run(client, [redisStockKeys(goodsId).header, answer], [number, ttl]),
    );
    if (claim === 'no-stock') throw await this.afterMissingStock(goodsId);
    if (claim === 'repeated') throw new AlreadySold();
    try {
      return await sell();
    } catch (error) {
      // If the outcome is unknown, the order may exist: the claim stays until it expires.
      if (!(error instanceof OutcomeUnknown)) {
        await this.redis.run((client) => RELEASE_KEY.run(client, [answer], [number])).catch(() => undefined);
      }
      throw error;
    }
  }

  async returnUnits(goodsId: number, number: number): Promise<void> {
    const { stock, reservations } = redisStockKeys(goodsId);
    await this.redis.run((client) => RETURN_UNITS.run(client, [stock, reservations], [number]));
  }

  /** The order is in the ledger. */
  async settle(goodsId: number, number: number): Promise<void> {
    await this.redis.run((client) => client.hdel(redisStockKeys(goodsId).reservations, String(number)));
  }

  /** Called before the COMMIT that returns stock in MySQL, with the goods' row locked. */
  async announceReturn(goodsId: number, orderId: number, quantity: number): Promise<void> {
    await this.redis.run((client) => client.hset(redisStockKeys(goodsId).returns, String(orderId), quantity));
  }

  /** Called after that COMMIT. */
  async completeReturn(goodsId: number, orderId: number): Promise<void> {
    const { stock, returns } = redisStockKeys(goodsId);
    await this.redis.run((client) => RETURN_UNITS.run(client, [stock, returns], [orderId]));
  }

  /** The error for an order that found too little in Redis: sold out, or a conflict while units may still be returned. */
  async afterTooFew({ goodsId, quantity }: DeductOrder, runId: number): Promise<SoldOut | Conflict> {
    const { header, stock, reservations, returns } = redisStockKeys(goodsId);
    const soldOut = await this.redis.run((client) =>
      SOLD_OUT.run(client, [header, stock, reservations, returns], [runId, quantity]),
    );
    return soldOut ? new SoldOut(goodsId, runId, quantity) : new Conflict();
  }

  /** Redis does not have the stock: it is moved there, and the order is retried. */
  async afterMissingStock(goodsId: number): Promise<Conflict> {
    await this.redisStock.moveToRedis(goodsId);
    return new Conflict();
  }
}
