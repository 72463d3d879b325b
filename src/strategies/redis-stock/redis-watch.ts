import { type Redis } from 'ioredis';
import { checkpoint } from '../../checkpoints/checkpoint.js';
import { Conflict } from '../../errors.js';
import { redisStockKeys } from '../../redis-stock/redis-stock-keys.js';
import { Reservations } from '../../redis-stock/reservations.js';
import { ReservedSales } from '../../redis-stock/reserved-sales.js';
import { RedisConnectionPool } from '../../redis/connection-pool.js';
import { execute } from '../../redis/outcome.js';
import { OrderNumbers } from '../../stock/order-numbers.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';

/**
 * Redis' optimistic lock: WATCH the stock, read it, and EXEC the deduction only if it has not changed since. A request that
 * loses the race retries, so contention costs attempts. WATCH needs a connection of its own.
 *
 * An instance that crashes between Redis and MySQL keeps its units reserved until the reconciler finds them; meanwhile
 * requests get 503. After a failover that loses writes, Redis may accept too many orders, and MySQL refuses them.
 */
@Strategy({
  name: 'redis-watch',
  family: 'redis-stock',
  lesson: 1,
  title: 'WATCH, MULTI, EXEC',
  stock: 'redis',
  needs: ['mysql', 'redis'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches: 'An optimistic lock in Redis is correct but slow: under contention most attempts fail.',
  useWhen: 'Rarely: when contention is low and scripts are not allowed.',
  costs: 'Its own connection and three round trips per attempt; under contention most attempts fail.',
})
export class RedisWatch implements DeductStrategy {
  constructor(
    private readonly connections: RedisConnectionPool,
    private readonly numbers: OrderNumbers,
    private readonly reservations: Reservations,
    private readonly sales: ReservedSales,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const started = performance.now();
    return retryConflicts(order, async (attempts) => {
      const number = await this.numbers.take();
      return this.reservations.withKey(order, number, async () => {
        const taken = await this.take(order, number);
        return this.sales.sell(order, { number, ...taken, attempts, waitedMs: performance.now() - started });
      });
    });
  }

  private async take(order: DeductOrder, number: number): Promise<{ gateId: string; remaining: number }> {
    const { goodsId, quantity, signal } = order;
    const stock = await this.connections.use(redisStockKeys(goodsId).stock, signal, (redis) =>
      this.pass(redis, order, number),
    );
    if (!stock.id) throw await this.reservations.afterMissingStock(goodsId);
    if (stock.short) throw await this.reservations.afterTooFew(order, stock.runId);
    return { gateId: stock.id, remaining: stock.left - quantity };
  }

  private async pass(redis: Redis, order: DeductOrder, number: number) {
    const { goodsId, quantity } = order;
    const { header, stock, reservations } = redisStockKeys(goodsId);
    // Sent together and executed in this order: the keys are watched before they are read.
    const [, [id, run], left] = await Promise.all([
      redis.watch(header, stock),
      redis.hmget(header, 'id', 'run'),
      redis.get(stock),
    ]);
    const short = Number(left) < quantity;
    await checkpoint('afterRead');
    if (!id || short) {
      await redis.unwatch();
    } else {
      const done = await execute(
        redis.multi().decrby(stock, quantity).hset(reservations, String(number), quantity),
      );
      if (!done) throw new Conflict();
    }
    return { id, short, left: Number(left), runId: Number(run) };
  }
}
