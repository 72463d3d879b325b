import { Inject } from '@nestjs/common';
import { checkpoint } from '../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { Conflict } from '../errors.js';
import { Ledger } from '../stock/ledger.js';
import { retryConflicts } from '../stock/retry-conflicts.js';
import { requireEnough } from '../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { readFromReplica } from './replica-read.js';

/** `cas-version` behind a proxy that splits reads and writes: the version comes from a replica. */
@Strategy({
  name: 'replica-cas',
  family: 'specimen',
  lesson: 15,
  title: 'Compare the version that a replica has, then set',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches: 'A read that a write depends on belongs to the server that is written to.',
})
export class ReplicaCas implements DeductStrategy {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return retryConflicts(order, async (attempts) => {
      const row = await readFromReplica(this.settings, order.goodsId);
      requireEnough(order, row);
      await checkpoint('afterRead');
      return this.database.transaction(async (sql) => {
        const { affectedRows } = await sql.change(
          'UPDATE goods SET inventory = ?, version = version + 1, last_writer = ? WHERE id = ? AND version = ?',
          [row.inventory - order.quantity, order.strategy, order.goodsId, row.version],
        );
        if (affectedRows === 0) throw new Conflict();
        return this.ledger.sale(sql, order, { runId: row.runId, before: row.inventory, attempts });
      }, order);
    });
  }
}
