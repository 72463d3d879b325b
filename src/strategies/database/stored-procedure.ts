import { Inject } from '@nestjs/common';
import { checkpoint } from '../../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import { Conflict, OutcomeUnknown, SoldOut, StockElsewhere, UnknownGoods } from '../../errors.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';

/** See migrations/1760000000008-deduct-stock.sql. */
type Answer =
  | {
      readonly outcome: 'sold';
      readonly orderId: number;
      readonly remaining: number;
      readonly waitedMs: number;
    }
  | { readonly outcome: 'sold-out'; readonly runId: number }
  | { readonly outcome: 'elsewhere' | 'conflict' | 'unknown-goods' };

/**
 * The statements of `sql-atomic`, sent by the server to itself: migrations/1760000000008-deduct-stock.sql. The row is locked from
 * the UPDATE to the COMMIT, with no round trip to the client in between, so the next buyer gets the row sooner.
 */
@Strategy({
  name: 'stored-procedure',
  family: 'database',
  lesson: 6,
  title: 'One CALL',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches:
    'Without round trips between UPDATE and COMMIT, the lock of a hot row is held for less time, so the row sells more often.',
  useWhen:
    'One row is hot, the sale is a few statements long, and procedures can be deployed with the schema.',
  costs:
    'One round trip per sale; a part of the program is in the database, with its own language, tests and releases.',
})
export class StoredProcedure implements DeductStrategy {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const { goodsId, quantity, strategy, idempotencyKey, requestHash } = order;
    await checkpoint('beforeWrite');
    const answer = await this.database.call(
      (sql) =>
        sql.call<Answer>('CALL deduct_stock(?, ?, ?, ?, ?, ?)', [
          ...[goodsId, quantity, strategy, this.settings.instance],
          ...[idempotencyKey ?? null, requestHash ?? null],
        ]),
      order,
    );
    switch (answer?.outcome) {
      case 'sold': {
        const { orderId, remaining, waitedMs } = answer;
        return { orderId, goodsId, quantity, remaining, attempts: 1, waitedMs };
      }
      case 'sold-out':
        throw new SoldOut(goodsId, answer.runId, quantity);
      case 'elsewhere':
        throw new StockElsewhere(goodsId);
      case 'unknown-goods':
        throw new UnknownGoods(goodsId);
      case 'conflict':
        throw new Conflict();
      case undefined:
        throw new OutcomeUnknown();
    }
  }
}
