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
  teaches:
    'A majority survives the loss of a master, but not a master that loses its data or whose clock jumps.',
  useWhen: 'The lock must survive the loss of a Redis, and you can run five independent ones.',
  costs:
    'Each acquire and release goes to five masters and waits for three; under contention votes are split and repeated.',
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
