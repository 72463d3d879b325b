import { checkpoint } from '../../checkpoints/checkpoint.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { Setnx, type Unlock } from '../support/setnx.js';

const unlock: Unlock = async (client, { key, owner }) => {
  if ((await client.get(key)) !== owner) return;
  await checkpoint('beforeDelete');
  await client.del(key);
};

/** Better than a blind DEL, but the answer to GET is stale when DEL arrives. */
@Strategy({
  name: 'setnx-check-delete',
  family: 'unsafe',
  lesson: 5,
  title: 'SET NX, compare, then DEL',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'failover', 'empty-restart', 'clock-jump', 'eviction', 'lost-reply'],
  teaches:
    'Comparing in the program and deleting in Redis are two steps, and the lock can change hands between them.',
  useWhen: 'Never: setnx-lua needs one round trip less and leaves no gap.',
  costs: 'Three round trips to Redis per sale; waiters poll.',
})
export class SetnxCheckDelete implements DeductStrategy {
  constructor(private readonly setnx: Setnx) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.setnx.sell(order, unlock);
  }
}
