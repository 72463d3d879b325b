import { Script } from '../../locks/index.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { Setnx, type Unlock } from '../support/setnx.js';

const UNLOCK = new Script<0 | 1>(new URL('unlock.lua', import.meta.url));

const unlock: Unlock = (client, { key, owner }) => UNLOCK.run(client, [key], [owner]);

/** The right way to give the textbook lock back: one script, so nothing can come between the look and the DEL. */
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
    'Compare and delete in one script free no lock but your own; the lease can still end before the work does.',
  useWhen:
    'To spare work that would be done twice, with a lease far longer than the work. Not where harm depends on it alone.',
  costs: 'Two round trips to Redis per sale; waiters ask again and again.',
})
export class SetnxLua implements DeductStrategy {
  constructor(private readonly setnx: Setnx) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.setnx.sell(order, unlock);
  }
}
