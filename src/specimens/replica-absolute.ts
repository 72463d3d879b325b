import { Inject } from '@nestjs/common';
import { checkpoint } from '../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { Ledger } from '../stock/ledger.js';
import { requireEnough } from '../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { withNamedLock } from '../strategies/support/with-named-lock.js';
import { readFromReplica } from './replica-read.js';

/** `named-lock` behind a proxy that splits reads and writes: the lock holds, and the stock that is read is still old. */
@Strategy({
  name: 'replica-absolute',
  family: 'specimen',
  lesson: 16,
  title: 'Lock, read from a replica, write back',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'never',
  breaksUnder: ['stale-replica'],
  teaches: 'A lock excludes other requests; it does not bring a replica up to date.',
})
export class ReplicaAbsolute implements DeductStrategy {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.database.connection(
      (sql) =>
        withNamedLock(sql, order, this.database.lockWaitMs, async (waitedMs) => {
          const row = await readFromReplica(this.settings, order.goodsId);
          requireEnough(order, row);
          await checkpoint('afterRead');
          const sale = async () => {
            // No version in the WHERE: comparing it would refuse what was read from a replica that lags.
            await sql.change(
              'UPDATE goods SET inventory = ?, version = version + 1, last_writer = ? WHERE id = ? AND run_id = ?',
              [row.inventory - order.quantity, order.strategy, order.goodsId, row.runId],
            );
            return this.ledger.sale(sql, order, { runId: row.runId, before: row.inventory, waitedMs });
          };
          return this.database.transactionOn(sql, sale, order);
        }),
      order,
    );
  }
}
