import { checkpoint } from '../checkpoints/checkpoint.js';
import { Database } from '../database/database.js';
import { Conflict, SoldOut } from '../errors.js';
import { type RedisClient } from '../locks/index.js';
import { redisStockKeys } from '../redis-stock/redis-stock-keys.js';
import { execute } from '../redis/outcome.js';
import { RedisConnection } from '../redis/redis.module.js';
import { Ledger } from '../stock/ledger.js';
import { retryConflicts } from '../stock/retry-conflicts.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { sellUnguarded } from './unguarded-sale.js';

/** `redis-watch` on the connection that all requests share. MySQL has no guard here, or it would hide the mistake. */
@Strategy({
  name: 'watch-shared-connection',
  family: 'specimen',
  lesson: 4,
  title: 'WATCH on a shared connection',
  stock: 'redis',
  needs: ['mysql', 'redis'],
  safe: 'never',
  breaksUnder: ['concurrency'],
  teaches:
    'WATCH belongs to the connection: the EXEC of one request ends the WATCH of all requests that share it.',
})
export class WatchSharedConnection implements DeductStrategy {
  constructor(
    private readonly redis: RedisConnection,
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return retryConflicts(order, async (attempts) => {
      // `redis-watch` uses a connection of its own here.
      const outcome = await this.redis.run((shared) => this.pass(shared, order));
      if (outcome === 'changed') throw new Conflict();
      if (outcome !== 'passed') throw new SoldOut(order.goodsId, outcome.soldOut, order.quantity);
      await checkpoint('afterReservation');
      return sellUnguarded(this.database, this.ledger, order, { attempts });
    });
  }

  private async pass(redis: RedisClient, { goodsId, quantity }: DeductOrder) {
    const { header, stock } = redisStockKeys(goodsId);
    const [, run, left] = await Promise.all([
      redis.watch(header, stock),
      redis.hget(header, 'run'),
      redis.get(stock),
    ]);
    await checkpoint('afterRead');
    if (Number(left) < quantity) return { soldOut: Number(run) };
    return (await execute(redis.multi().decrby(stock, quantity))) ? 'passed' : 'changed';
  }
}
