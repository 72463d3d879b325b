import { Inject } from '@nestjs/common';
import { checkpoint } from '../../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { type Receipt } from '../../contract/receipt.js';
import {
  AlreadySold,
  Conflict,
  EngineUnavailable,
  IdempotencyConflict,
  OutcomeUnknown,
} from '../../errors.js';
import { Script } from '../../locks/index.js';
import { acceptedOrder } from '../../redis-stock/accepted-order.js';
import { OrderConsumer } from '../../redis-stock/order-consumer.js';
import { answerKey, redisStockKeys } from '../../redis-stock/redis-stock-keys.js';
import { Reservations } from '../../redis-stock/reservations.js';
import { surelyNotDone } from '../../redis/outcome.js';
import { RedisConnection } from '../../redis/redis.module.js';
import { OrderNumbers } from '../../stock/order-numbers.js';
import { Receipts } from '../../stock/receipts.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import { type EarlyAnswerStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';

const ACCEPT = new Script<Accepted>(new URL('./redis-lua.lua', import.meta.url));
/** Longer than any request: by then the ledger has the order and its key. */
const ANSWER_KEPT_S = 600;

type Accepted =
  ['no-stock'] | ['moved'] | ['repeated'] | ['sold-out', run: string] | ['accepted', remaining: number];

/**
 * One script checks, deducts and puts the order into a stream. The client gets its receipt at once, and a consumer writes
 * the order to MySQL a moment later. It is the fastest strategy, because no request waits for MySQL. Nothing leaks when an
 * instance crashes, because the deduction and the order are one step.
 *
 * The price: a receipt is as durable as Redis' disk. A Redis that loses writes (in a failover, in a restart without its
 * file, in a kill under `appendfsync everysec`) loses orders that have a receipt, or accepts orders that MySQL must refuse.
 */
@Strategy({
  name: 'redis-lua',
  family: 'redis-stock',
  lesson: 3,
  title: 'One script, persisted from a stream',
  stock: 'redis',
  needs: ['mysql', 'redis'],
  safe: 'always',
  breaksUnder: ['failover', 'empty-restart', 'eviction', 'lost-reply'],
  losesUnder: ['failover', 'empty-restart', 'eviction'],
  teaches:
    'Deduction and order in one atomic step cannot leak stock; the step that follows can be repeated safely.',
  useWhen: 'The hottest sales: the buyer must not wait for the database, and Redis writes its file to disk.',
  costs: 'One script per sale; a stream, a consumer and two stores to operate.',
})
export class RedisLua implements EarlyAnswerStrategy {
  constructor(
    private readonly redis: RedisConnection,
    private readonly numbers: OrderNumbers,
    private readonly reservations: Reservations,
    private readonly consumer: OrderConsumer,
    private readonly receipts: Receipts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const { goodsId, quantity } = order;
    const started = performance.now();
    return retryConflicts(order, async (attempts) => {
      const number = await this.numbers.take();
      const gateId = await this.stockWithFreeKey(order);
      const waitedMs = Math.round(performance.now() - started);
      const [outcome, detail] = await this.accept(order, { number, attempts, waitedMs, gateId });
      if (outcome === 'no-stock') throw await this.reservations.afterMissingStock(goodsId);
      if (outcome === 'moved') throw new Conflict();
      if (outcome === 'repeated') throw new AlreadySold();
      if (outcome === 'sold-out') throw await this.reservations.afterTooFew(order, Number(detail));
      await checkpoint('afterReservation');
      this.consumer.wake(goodsId);
      return { orderId: number, goodsId, quantity, remaining: detail, attempts, waitedMs };
    });
  }

  /** The receipt of an order with the same key that the ledger may not have yet. */
  async receiptInFlight({ goodsId, idempotencyKey, requestHash }: DeductOrder): Promise<Receipt | undefined> {
    if (idempotencyKey === undefined) return undefined;
    const client = this.redis.client;
    if (!client) throw new EngineUnavailable('redis');
    const answer = await this.redis.run(() => client.hgetall(answerKey(goodsId, idempotencyKey)));
    const run = await this.redis.run(() => client.hget(redisStockKeys(goodsId).header, 'run'));
    // A claim by another strategy has no order in it: only the ledger shows whether that order was sold.
    if (answer['run'] === undefined || answer['run'] !== run || answer['strategy'] === undefined)
      return undefined;
    const { number, ...told } = acceptedOrder(Object.entries(answer).flat());
    if (told.requestHash !== (requestHash ?? null)) throw new IdempotencyConflict();
    const { strategy, quantity, remaining, instance, attempts, waitedMs } = told;
    return { orderId: number, goodsId, strategy, quantity, remaining, instance, attempts, waitedMs };
  }

  /**
   * The ledger must not have the key when the order is accepted. While a Redis stock is open, no strategy that sells from
   * MySQL can sell. So the id of the Redis stock is read first, then the ledger, and the script checks that the id is the same.
   */
  private async stockWithFreeKey({ goodsId, idempotencyKey }: DeductOrder): Promise<string> {
    if (idempotencyKey === undefined) return '';
    const id = await this.redis.run((client) => client.hget(redisStockKeys(goodsId).header, 'id'));
    if (id === null) throw await this.reservations.afterMissingStock(goodsId);
    if (await this.receipts.isUsed(goodsId, idempotencyKey)) throw new AlreadySold();
    return id;
  }

  private async accept(
    { goodsId, quantity, strategy, idempotencyKey, requestHash }: DeductOrder,
    made: { number: number; attempts: number; waitedMs: number; gateId: string },
  ): Promise<Accepted> {
    const { number, attempts, waitedMs, gateId } = made;
    const { header, stock, orders } = redisStockKeys(goodsId);
    const answer = idempotencyKey === undefined ? [] : [answerKey(goodsId, idempotencyKey)];
    const { instance } = this.settings;
    if (!this.redis.client) throw new EngineUnavailable('redis');
    try {
      return await ACCEPT.run(
        this.redis.client,
        [header, stock, orders, ...answer],
        [
          number,
          quantity,
          idempotencyKey ?? '',
          strategy,
          instance,
          attempts,
          waitedMs,
          ANSWER_KEPT_S,
        ].concat(gateId, requestHash ?? ''),
      );
    } catch (error) {
      // Once the script was sent, the order may be accepted, and its consumer would write it.
      throw surelyNotDone(error) ? new EngineUnavailable('redis') : new OutcomeUnknown('the order');
    }
  }
}
