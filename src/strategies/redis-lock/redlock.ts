import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/** The npm package `redlock`: a majority of five independent masters grants the lock, so it survives the loss of one. */
@Strategy({
  name: 'redlock',
  family: 'redis-lock',
  lesson: 7,
  title: 'Redlock',
  stock: 'mysql',
  needs: ['mysql', 'redlock'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'failover', 'empty-restart', 'clock-jump', 'eviction', 'lost-reply'],
  teaches:
    'A majority survives the loss of a master, but not a master that loses its data or whose clock jumps.',
  useWhen: 'The lock must survive the loss of a Redis, and you can run five independent ones.',
  costs:
    'Each acquire and release goes to five masters and waits for three; under contention votes are split and repeated.',
})
export class Redlock implements DeductStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly stock: Stock,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return withLock(this.locks.redlock, order, (lease) => this.stock.sellUnprotected(order, lease));
  }
}
