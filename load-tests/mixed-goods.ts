// Several goods at once, one to three units of each, and baskets if the strategy supports them. Buyers name their goods in
// any order, which provokes deadlocks. STOCK is the stock of each goods.
import { buy } from './lib/buyer.ts';
import { LoadTest } from './lib/load-test.ts';
import type { Measured } from './lib/report.ts';
import type { Line, Opened, Sale } from './lib/sale.ts';

const test = new LoadTest('mixed-goods', {
  strategies: 'for-update',
  goods: '1,2,3,4,5',
  stock: 500,
  vus: 50,
  requests: 2000,
});
const { vus, requests, stock, goods } = test.settings;
const LARGEST_BASKET = 3;
const MOST_OF_ONE = 3;

export const options = test.options({
  executor: 'shared-iterations',
  vus: Math.min(vus, requests),
  iterations: requests,
  maxDuration: '1h',
});

export const setup = () => test.open();

export default function ({ sales, startedAt }: Opened): void {
  buy(test.shop, { lines: basketOf(sales) }, { retries: 0, openedAt: startedAt });
}

function basketOf(sales: readonly Sale[]): [Line, ...Line[]] {
  const baskets = sales.every(({ strategy }) => strategy.baskets);
  const size = baskets ? 1 + below(Math.min(LARGEST_BASKET, sales.length)) : 1;
  const rest = [...sales];
  const line = (): Line => {
    const [sale] = rest.splice(below(rest.length), 1);
    if (!sale) throw new Error('a basket has more lines than there are goods');
    return { sale, quantity: 1 + below(MOST_OF_ONE) };
  };
  return [line(), ...Array.from({ length: size - 1 }, line)];
}

function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}

export const teardown = (opened: Opened): void => {
  test.close(opened);
};

export const handleSummary = (measured: Measured) =>
  test.summary(measured, `${requests} purchases by ${vus} buyers, ${stock} of each of ${goods.length} goods`);
