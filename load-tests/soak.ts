// A moderate load for a long time: does anything grow, leak or slow down? All parts of the test should look the same.
import { sleep } from 'k6';
import { buy } from './lib/buyer.ts';
import { LoadTest } from './lib/load-test.ts';
import type { Measured } from './lib/report.ts';
import { first, type Opened } from './lib/sale.ts';
import { currentSlice } from './lib/slices.ts';

const SLICES = 5;
const LONGEST_PAUSE_S = 0.2;
const test = new LoadTest(
  'soak',
  { strategies: 'sql-atomic', stock: 1_000_000, vus: 20, duration: '5m' },
  SLICES,
);
const { vus, durationS, stock } = test.settings;

export const options = test.options({
  executor: 'constant-vus',
  vus,
  duration: `${durationS}s`,
  gracefulStop: '45s',
});

export const setup = () => test.open();

export default function ({ sales, startedAt }: Opened): void {
  const purchase = { lines: [{ sale: first(sales), quantity: 1 }], tags: currentSlice(SLICES) } as const;
  buy(test.shop, purchase, { retries: 0, openedAt: startedAt });
  sleep(Math.random() * LONGEST_PAUSE_S);
}

export const teardown = (opened: Opened): void => {
  test.close(opened);
};

export const handleSummary = (measured: Measured) =>
  test.summary(measured, `${vus} buyers for ${durationS} s, stock ${stock}`);
