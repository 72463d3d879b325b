// One strategy under steady load: REQUESTS purchases of one goods by VUS buyers.
import { buy } from './lib/buyer.ts';
import { LoadTest } from './lib/load-test.ts';
import type { Measured } from './lib/report.ts';
import { first, type Opened } from './lib/sale.ts';

const test = new LoadTest('strategy', { strategies: 'sql-atomic', stock: 1000, vus: 50, requests: 2000 });
const { vus, requests, stock } = test.settings;

export const options = test.options({
  executor: 'shared-iterations',
  vus: Math.min(vus, requests),
  iterations: requests,
  maxDuration: '1h',
});

export const setup = () => test.open();

export default function ({ sales, startedAt }: Opened): void {
  buy(test.shop, { lines: [{ sale: first(sales), quantity: 1 }] }, { retries: 0, openedAt: startedAt });
}

export const teardown = (opened: Opened): void => {
  test.close(opened);
};

export const handleSummary = (measured: Measured) =>
  test.summary(measured, `${requests} purchases by ${vus} buyers, stock ${stock}`);
