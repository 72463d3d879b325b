// More and more buyers, up to VUS, then fewer again: at which load do latencies rise and requests fail?
import { buy } from './lib/buyer.ts';
import { LoadTest } from './lib/load-test.ts';
import type { Measured } from './lib/report.ts';
import { first, type Opened } from './lib/sale.ts';
import { currentSlice } from './lib/slices.ts';

const SLICES = 6;
const test = new LoadTest(
  'ramp',
  { strategies: 'sql-atomic', stock: 1_000_000, vus: 100, duration: '30s' },
  SLICES,
);
const { vus, durationS, stock } = test.settings;
const third = `${(durationS / 3).toFixed(1)}s`;

export const options = test.options({
  executor: 'ramping-vus',
  startVUs: 1,
  stages: [
    { duration: third, target: vus },
    { duration: third, target: vus },
    { duration: third, target: 1 },
  ],
  // A purchase in flight may end.
  gracefulRampDown: '45s',
  gracefulStop: '45s',
});

export const setup = () => test.open();

export default function ({ sales, startedAt }: Opened): void {
  const purchase = { lines: [{ sale: first(sales), quantity: 1 }], tags: currentSlice(SLICES) } as const;
  buy(test.shop, purchase, { retries: 0, openedAt: startedAt });
}

export const teardown = (opened: Opened): void => {
  test.close(opened);
};

export const handleSummary = (measured: Measured) =>
  test.summary(measured, `1 to ${vus} buyers and back in ${durationS} s, stock ${stock}`);
