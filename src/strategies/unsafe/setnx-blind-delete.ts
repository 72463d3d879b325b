import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { Setnx, type Unlock } from '../support/setnx.js';

const unlock: Unlock = (client, { key }) => client.del(key);

/** A holder that took longer than its lease deletes the lock of the next holder, and a third request acquires it. */
@Strategy({
  name: 'setnx-blind-delete',
  family: 'unsafe',
  lesson: 4,
  title: 'SET NX, blind DEL',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'failover', 'empty-restart', 'clock-jump', 'eviction', 'lost-reply'],
  teaches: 'DEL without a check of the owner releases the lock of the next holder.',
  useWhen: 'Never: setnx-lua costs the same and releases only its own lock.',
  costs: 'Two round trips to Redis per sale; waiters poll.',
})
export class SetnxBlindDelete implements DeductStrategy {
  constructor(private readonly setnx: Setnx) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.setnx.sell(order, unlock);
  }
}
