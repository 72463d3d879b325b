import { Conflict } from '../../errors.js';
import { redisStockKeys } from '../../redis-stock/redis-stock-keys.js';
import { Reservations } from '../../redis-stock/reservations.js';
import { ReservedSales } from '../../redis-stock/reserved-sales.js';
import { execute } from '../../redis/outcome.js';
import { RedisConnection } from '../../redis/redis.module.js';
import { OrderNumbers } from '../../stock/order-numbers.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';

/**
 * Deduct first, check afterwards: DECRBY is one step and answers with what is left. A request that gets a negative number
 * returns its units with INCRBY. There is no lock, and no retry while there is enough stock. Near the end of the stock, units
 * that one request is about to return are missing for another request for a moment.
 *
 * An instance that crashes between Redis and MySQL keeps its units reserved until the reconciler finds them; meanwhile
 * requests get 503. After a failover that loses writes, Redis may accept too many orders, and MySQL refuses them.
 */
@Strategy({
  name: 'redis-decr',
  family: 'redis-stock',
  lesson: 2,
  title: 'DECRBY, compensate below zero',
  stock: 'redis',
  needs: ['mysql', 'redis'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches:
    'A counter that returns its new value needs no lock; but two stores need a process that reconciles them.',
  useWhen: 'A hot counter in front of a database, where most buyers come too late and need a quick answer.',
  costs: 'Two round trips to Redis around the transaction, and a reconciler for two stores.',
})
export class RedisDecr implements DeductStrategy {
  constructor(
    private readonly redis: RedisConnection,
    private readonly numbers: OrderNumbers,
    private readonly reservations: Reservations,
    private readonly sales: ReservedSales,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const started = performance.now();
    return retryConflicts(order, async (attempts) => {
      if (attempts > 1) await this.look(order);
      const number = await this.numbers.take();
      return this.reservations.withKey(order, number, async () => {
        const taken = await this.take(order, number);
        return this.sales.sell(order, { number, ...taken, attempts, waitedMs: performance.now() - started });
      });
    });
  }

  /** Before a second attempt, a plain read: requests that deduct and return units again and again would block each other. */
  private async look(order: DeductOrder): Promise<void> {
    const { header, stock } = redisStockKeys(order.goodsId);
    const [run, left] = await this.redis.run((client) =>
      Promise.all([client.hget(header, 'run'), client.get(stock)]),
    );
    if (Number(left) < 0) throw new Conflict();
    if (run !== null && Number(left) < order.quantity)
      throw await this.reservations.afterTooFew(order, Number(run));
  }

  private async take(order: DeductOrder, number: number): Promise<{ gateId: string; remaining: number }> {
    const { goodsId, quantity } = order;
    const { header, stock, reservations } = redisStockKeys(goodsId);
    // If the answer is lost, nothing is sold: the order does not reach MySQL, and the reconciler finds its reservation.
    const [[gateId, run], remaining] = (await this.redis.run((client) =>
      execute(
        client
          .multi()
          .hmget(header, 'id', 'run')
          .decrby(stock, quantity)
          .hset(reservations, String(number), quantity),
      ),
    )) as [[id: string | null, run: string | null], remaining: number];
    if (!gateId) throw await this.reservations.afterMissingStock(goodsId);
    if (remaining >= 0) return { gateId, remaining };

    await this.reservations.returnUnits(goodsId, number);
    // The stock was negative before this DECRBY: another request will return units, and then there may be enough.
    if (remaining + quantity < 0) throw new Conflict();
    throw await this.reservations.afterTooFew(order, Number(run));
  }
}
