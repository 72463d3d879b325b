import { checkpoint } from '../checkpoints/checkpoint.js';
import { Database } from '../database/database.js';
import { SoldOut } from '../errors.js';
import { gateKeys } from '../gate/gate-keys.js';
import { Ledger } from '../goods/ledger.js';
import { RedisConnection } from '../redis/redis.module.js';
import { type Deduction, type DeductOrder, type DeductStrategy, Strategy } from '../strategies/strategy.js';
import { sellUnguarded } from './unguarded-sale.js';

/** `redis-decr` as it is usually written: no record of who has passed, and no condition in MySQL. */
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
    'A gate in Redis keeps the crowd away; that nothing is oversold must be the word of the store that has it.',
})
export class GateWithoutGuard implements DeductStrategy {
  constructor(
    private readonly redis: RedisConnection,
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const { goodsId, quantity } = order;
    const { gate, stock } = gateKeys(goodsId);
    const left = await this.redis.run((client) => client.decrby(stock, quantity));
    if (left < 0) {
      await this.redis.run((client) => client.incrby(stock, quantity));
      const run = await this.redis.run((client) => client.hget(gate, 'run'));
      throw new SoldOut(goodsId, Number(run), quantity);
    }
    await checkpoint('afterGate');
    return sellUnguarded(this.database, this.ledger, order);
  }
}
