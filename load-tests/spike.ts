// A flash sale: VUS buyers at the same moment, for a stock far below demand. Refused buyers retry.
import { buy } from './lib/buyer.ts';
import { LoadTest } from './lib/load-test.ts';
import type { Measured } from './lib/report.ts';
import { first, type Opened } from './lib/sale.ts';

const test = new LoadTest('spike', { strategies: 'sql-atomic', stock: 20, vus: 300 });
const { vus, stock } = test.settings;
const MAX_RETRIES = 60;

export const options = test.options({
  executor: 'per-vu-iterations',
  vus,
  iterations: 1,
  maxDuration: '10m',
});

export const setup = () => test.open();

export default function ({ sales, startedAt }: Opened): void {
  const purchase = { lines: [{ sale: first(sales), quantity: 1 }] } as const;
  buy(test.shop, purchase, { retries: MAX_RETRIES, openedAt: startedAt });
}

export const teardown = (opened: Opened): void => {
  test.close(opened);
};

export const handleSummary = (measured: Measured) =>
  test.summary(measured, `${vus} buyers at once for a stock of ${stock}`);
