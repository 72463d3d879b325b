// Every purchase is sent COPIES times at once with one Idempotency-Key, and again until its outcome is known. It must be
// sold once, and all its receipts must be the same.
import exec from 'k6/execution';
import { storm } from './lib/buyer.ts';
import { LoadTest } from './lib/load-test.ts';
import type { Measured } from './lib/report.ts';
import { first, type Opened } from './lib/sale.ts';

const test = new LoadTest('retry-storm', {
  strategies: 'idempotent',
  stock: 200,
  vus: 30,
  requests: 300,
  copies: 3,
});
const { vus, requests, stock, copies } = test.settings;
const MAX_RETRIES = 60;

export const options = test.options({
  executor: 'shared-iterations',
  vus: Math.min(vus, requests),
  iterations: requests,
  maxDuration: '1h',
});

export const setup = () => test.open();

export default function ({ sales, startedAt }: Opened): void {
  // A reset frees all keys. The start time makes the keys of two tests on the same run different.
  const key = `k6-${startedAt}-${exec.scenario.iterationInTest}`;
  const purchase = { lines: [{ sale: first(sales), quantity: 1 }], key } as const;
  storm(test.shop, purchase, copies, { retries: MAX_RETRIES, openedAt: startedAt });
}

export const teardown = (opened: Opened): void => {
  test.close(opened);
};

export const handleSummary = (measured: Measured) =>
  test.summary(measured, `${requests} purchases by ${vus} buyers, each sent ${copies} times, stock ${stock}`);
