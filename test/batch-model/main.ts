/**
 * Plays random plans with the strategy `batch` in this process and a real database, and compares every answer with orders that
 * are served one after the other. Arguments: the first seed, the number of seeds. The environment: DATABASE_URL for the
 * service's account, LAB_URL for the lab's account. Ends with 1 and the first difference.
 */
import 'reflect-metadata';
import { createConnection } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { arm } from '../../src/checkpoints/checkpoint.js';
import { readSettings } from '../../src/config/settings.js';
import { Database, poolSize } from '../../src/database/database.js';
import { dataSourceOptions } from '../../src/database/options.js';
import { Ledger } from '../../src/stock/ledger.js';
import { Batch } from '../../src/strategies/process/batch.js';
import { FaultInjector, round } from './round.js';
import { ModelShop } from './shop.js';

async function main(first: number, count: number): Promise<number> {
  const settings = readSettings(process.env);
  const source = await new DataSource(
    dataSourceOptions(settings.databaseUrl, poolSize(settings)),
  ).initialize();
  const lab = await createConnection(process.env['LAB_URL'] ?? '');
  const shop = new ModelShop(lab, new URL(settings.databaseUrl).username);
  const faults = new FaultInjector(shop);
  arm(faults);
  const batch = new Batch(new Database(source, settings), new Ledger(settings), settings);
  for (let seed = first; seed < first + count; seed += 1) {
    const difference = await round(seed, batch, shop, faults);
    if (difference === undefined) continue;
    console.log(`seed ${seed}: ${difference}`);
    return 1;
  }
  console.log(`${count} seeds: no difference`);
  return 0;
}

const [, , first = '1', count = '100'] = process.argv;
main(Number(first), Number(count)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(2);
  },
);
