import { Script } from '../../locks/index.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { Setnx, type Unlock } from '../support/setnx.js';

const UNLOCK = new Script<0 | 1>(new URL('unlock.lua', import.meta.url));

const unlock: Unlock = (client, { key, owner }) => UNLOCK.run(client, [key], [owner]);

/** The correct release of the textbook lock: one script, so nothing can happen between the comparison and the DEL. */
@Strategy({
  name: 'setnx-lua',
  family: 'redis-lock',
  lesson: 1,
  title: 'SET NX, compare-and-delete in Lua',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'failover', 'empty-restart', 'clock-jump', 'eviction', 'lost-reply'],
  teaches:
    'A script that compares and deletes in one step releases only its own lock; the lease can still expire before the work ends.',
  useWhen:
    'To avoid doing work twice, with a lease far longer than the work. Not as the only protection of data.',
  costs: 'Two round trips to Redis per sale; waiters poll.',
})
export class SetnxLua implements DeductStrategy {
  constructor(private readonly setnx: Setnx) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.setnx.sell(order, unlock);
  }
}
