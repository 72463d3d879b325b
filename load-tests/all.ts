// Every strategy in turn on the same goods under the same load: reset, load, drain, audit, next. STRATEGIES names
// some strategies; without it all available strategies are tested.
//
// The virtual users of k6 cannot wait for each other between two turns. So there is one virtual user, with VUS requests in
// flight. To measure the highest speed of one strategy, use `strategy`.
import { buyAsync } from './lib/buyer.ts';
import { LoadTest } from './lib/load-test.ts';
import type { Measured } from './lib/report.ts';
import type { Opened, Sale } from './lib/sale.ts';
import { stop } from './lib/stop.ts';

const MOST_TURNS = 60;
const test = new LoadTest('all', { stock: 200, vus: 50, requests: 500 });
const { vus, requests, stock, goods, strategies } = test.settings;

export const options = test.options(
  { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: '2h' },
  MOST_TURNS,
);

export function setup(): Opened {
  const known = test.shop.strategies();
  const wanted = strategies.length > 0 ? strategies.map((name) => test.find(known, name)) : known;
  const turns = wanted.filter(({ available }) => available);
  if (turns.length > MOST_TURNS)
    stop(`At most ${MOST_TURNS} strategies can be tested: name some with STRATEGIES.`);
  const [goodsId = 1] = goods;
  const sales = turns.map((strategy, index) => ({ slot: String(index), strategy, goodsId }));
  const skipped = wanted.filter(({ available }) => !available).map(({ name }) => name);
  for (const sale of sales) test.announce(sale);
  return { startedAt: Date.now(), sales, skipped };
}

export default async function ({ sales }: Opened): Promise<void> {
  for (const sale of sales) {
    console.info(sale.strategy.name);
    const run = test.reset(sale);
    await crowd(run);
    test.judge(run);
  }
}

async function crowd(sale: Sale): Promise<void> {
  const openedAt = Date.now();
  let left = requests;
  const buyer = async () => {
    while (left > 0) {
      left -= 1;
      await buyAsync(test.shop, { lines: [{ sale, quantity: 1 }] }, { retries: 0, openedAt });
    }
  };
  await Promise.all(Array.from({ length: Math.min(vus, requests) }, buyer));
}

export const handleSummary = (measured: Measured) =>
  test.summary(measured, `each ${requests} purchases by ${vus} buyers, stock ${stock}`);
