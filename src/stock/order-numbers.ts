import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

/** Numbers that an instance takes from MySQL at a time; those it has not used when it ends are skipped. */
const BLOCK = 1000;

/** Order numbers start here, far above the ids of the ledger, so that the two cannot be confused. */
export const FIRST_ORDER_NUMBER = 1_000_000_000_000;

/**
 * Numbers for orders that must have one before they are written. They come from MySQL, in blocks, and not from Redis:
 * if Redis lost the counter, two orders would get one number, and the ledger would take the second for the first.
 */
@Injectable()
export class OrderNumbers {
  private next = 0;
  private end = 0;
  private fetching: Promise<void> | undefined;

  constructor(private readonly database: Database) {}

  async take(): Promise<number> {
    while (this.next === this.end) {
      this.fetching ??= this.fetchBlock().finally(() => (this.fetching = undefined));
      await this.fetching;
    }
    return this.next++;
  }

  private async fetchBlock(): Promise<void> {
    const { insertId } = await this.database.connection(
      (sql) => sql.change('UPDATE order_numbers SET next = LAST_INSERT_ID(next + ?) WHERE id = 1', [BLOCK]),
      // Requests for all goods wait for this, so it must not wait for the requests of one goods.
      { purpose: 'orderNumbers' },
    );
    this.end = insertId;
    this.next = insertId - BLOCK;
  }
}
