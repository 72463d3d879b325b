import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { type SoldOut } from '../errors.js';

const REMEMBERED_RUNS = 1000;

/**
 * Remembers the smallest quantity that was refused as sold out in each run, so that the audit can find a false
 * refusal. Only a new smallest one is written: one row per run and instance, not one per refusal.
 */
@Injectable()
export class Refusals {
  private readonly smallest = new Map<number, number>();

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async record({ runId, wanted }: SoldOut): Promise<void> {
    if (wanted >= (this.smallest.get(runId) ?? Infinity)) return;
    await this.database.connection((sql) =>
      sql.change(
        `INSERT INTO refusals (run_id, instance, quantity) VALUES (?, ?, ?)
         ON DUPLICATE KEY UPDATE quantity = LEAST(quantity, ?)`,
        [runId, this.settings.instance, wanted, wanted],
      ),
    );
    this.smallest.set(runId, wanted);
    const [oldest] = this.smallest.keys();
    if (this.smallest.size > REMEMBERED_RUNS && oldest !== undefined) this.smallest.delete(oldest);
  }
}
