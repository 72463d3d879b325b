import { checkpoint } from '../checkpoints/checkpoint.js';
import { Database } from '../database/database.js';
import { SoldOut } from '../errors.js';
import { redisStockKeys } from '../redis-stock/redis-stock-keys.js';
import { RedisConnection } from '../redis/redis.module.js';
import { Ledger } from '../stock/ledger.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { sellUnguarded } from './unguarded-sale.js';

/** `redis-decr` as it is usually written: no record of the reserved units, and no condition in MySQL. */
@Strategy({
  name: 'gate-without-guard',
  family: 'specimen',
  lesson: 5,
  title: 'DECRBY, then an UPDATE without a condition',
  stock: 'redis',
  needs: ['mysql', 'redis'],
  safe: 'never',
  breaksUnder: ['crash', 'failover', 'empty-restart'],
  teaches:
    'A counter in Redis keeps load away from the database; only the database itself can guarantee that nothing is oversold.',
})
export class GateWithoutGuard implements DeductStrategy {
  constructor(
    private readonly redis: RedisConnection,
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const { goodsId, quantity } = order;
    const { header, stock } = redisStockKeys(goodsId);
    const left = await this.redis.run((client) => client.decrby(stock, quantity));
    if (left < 0) {
      await this.redis.run((client) => client.incrby(stock, quantity));
      const run = await this.redis.run((client) => client.hget(header, 'run'));
      throw new SoldOut(goodsId, Number(run), quantity);
    }
    await checkpoint('afterReservation');
    return sellUnguarded(this.database, this.ledger, order);
  }
}
