import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { Setnx, type Unlock } from '../support/setnx.js';

const unlock: Unlock = (client, { key }) => client.del(key);

/** A holder that was slower than its lease deletes a lock that is not its own any more, and a third buyer walks in. */
@Strategy({
  name: 'setnx-blind-delete',
  family: 'unsafe',
  lesson: 4,
  title: 'SET NX, blind DEL',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'failover', 'empty-restart', 'clock-jump', 'eviction', 'lost-reply'],
  teaches: 'DEL without asking whose lock it is frees the lock of whoever came next.',
  useWhen: 'Never: setnx-lua costs as much, and frees no lock but its own.',
  costs: 'Two round trips to Redis per sale; waiters ask again and again.',
})
export class SetnxBlindDelete implements DeductStrategy {
  constructor(private readonly setnx: Setnx) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.setnx.sell(order, unlock);
  }
}
