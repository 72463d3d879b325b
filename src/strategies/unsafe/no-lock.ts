import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';

/** The control group: the unprotected write with nothing around it. Two requests read 1, both write 0, both sell. */
@Strategy({
  name: 'no-lock',
  family: 'unsafe',
  lesson: 1,
  title: 'Read, compute, write back',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'never',
  breaksUnder: ['concurrency', 'several-instances'],
  teaches: 'A transaction alone is not enough: two requests can read the same value, and both write.',
  useWhen: 'Never for stock. It is the control group for all other strategies.',
  costs: 'One read and one write; it sells goods that are not in stock.',
})
export class NoLock implements DeductStrategy {
  constructor(private readonly stock: Stock) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.stock.sellUnprotected(order);
  }
}
