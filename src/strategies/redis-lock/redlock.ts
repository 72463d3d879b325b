import { Stock } from '../../goods/stock.js';
import { RedisLocks } from '../redis-locks.js';
import { type Deduction, type DeductOrder, type DeductStrategy, Strategy } from '../strategy.js';

/** The npm package `redlock`: a majority of five independent masters must grant the lock, so no single one can lose it. */
@Strategy({
  name: 'redlock',
  family: 'redis-lock',
  lesson: 7,
  title: 'Redlock',
  stock: 'mysql',
  needs: ['mysql', 'redlock'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'failover', 'empty-restart', 'clock-jump', 'eviction', 'lost-reply'],
  teaches: 'A majority survives the loss of a master, not a master that forgets or whose clock jumps.',
  useWhen: 'The lock must survive the loss of a Redis, and five independent ones can be run.',
  costs:
    'Each lock and unlock goes to five masters and waits for three; in a crowd votes are split and taken again.',
})
export class Redlock implements DeductStrategy {
  constructor(
    private readonly locks: RedisLocks,
    private readonly stock: Stock,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.locks.guard(this.locks.redlock, order, (lease) => this.stock.sellUnprotected(order, lease));
  }
}
