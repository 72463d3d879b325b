import { setTimeout as sleep } from 'node:timers/promises';
import { type StrategyListing } from '../src/contract/strategy.js';
import { type Supervised } from '../src/lab/processes/supervisor.js';
import { type Servers } from '../src/lab/servers.js';
import { buy, buyPatiently, count, crowd, orderIds, type Outcome } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { openOnOwnServers } from './support/own-servers.js';
import { Pulse } from './support/pulse.js';
import { type TestShop } from './support/test-shop.js';

/** A command times out after 1 s. The delay of the machine itself is measured and added. */
const ANSWERED_WITHIN_MS = 2000;
const SERVED_AGAIN_WITHIN_MS = 5000;
const LOCK_WAIT_MS = 3000;

let own: Servers;
let shop: TestShop;
let pulse: Pulse;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ own, shop, close } = await openOnOwnServers({ LOCK_WAIT_MS: String(LOCK_WAIT_MS) }));
  pulse = new Pulse(shop);
});
afterAll(async () => {
  await pulse.stop();
  await close();
});

/** Buys until a purchase succeeds. */
async function servedAgain(strategy: string, goodsId = 1): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await eventually(`${strategy} sells again`, async () => {
    const outcome = await buy(shop, { strategy, goodsId });
    outcomes.push(outcome);
    return outcome.kind === 'sold';
  });
  return outcomes;
}

/** The ledger has every acknowledged order, no other order except those with an unknown outcome, and the audit agrees. */
async function expectBooksInOrder(outcomes: readonly Outcome[]): Promise<void> {
  const audit = await shop.settledAudit(1);
  const ledger = await shop.soldOrderIds(1);
  expect(ledger).toEqual(expect.arrayContaining(orderIds(outcomes)));
  expect(ledger.length).toBeLessThanOrEqual(count(outcomes, 'sold') + count(outcomes, 'unknown'));
  expect(audit).toMatchObject({ verdict: 'SAFE', sold: ledger.length, redisRemaining: 1000 - ledger.length });
}

describe.each(['redis-watch', 'redis-decr', 'redis-lua'])('%s', (strategy) => {
  beforeEach(async () => {
    await shop.listed(strategy);
    await shop.reset(1, 1000, 'redis');
  });

  test('while Redis is stopped and started again, nothing is sold twice and nothing is lost', async () => {
    const before = own.redis.pid;
    const outcomes: Outcome[] = await crowd(300, async (index) => {
      await sleep(index * 5);
      if (index === 80) own.redis.signal('SIGTERM');
      return buy(shop, { strategy });
    });
    const refusals = new Set(outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? outcome.type : [])));
    expect(refusals).toContain('engine-unavailable');
    expect([...refusals].filter((type) => !['engine-unavailable', 'busy'].includes(type))).toEqual([]);
    await eventually('Redis is back', () => own.redis.pid !== undefined && own.redis.pid !== before);
    const back = performance.now();
    outcomes.push(...(await servedAgain(strategy)));
    expect(pulse.inTime(back, SERVED_AGAIN_WITHIN_MS)).toBe('in time');
    await expectBooksInOrder(outcomes);
  });

  test('when Redis hangs, every request is answered within the timeout of a command, and correctly', async () => {
    await buyPatiently(shop, { strategy });
    own.redis.signal('SIGSTOP');
    const started = performance.now();
    const hanging = await crowd(20, () => buy(shop, { strategy }));
    const answered = pulse.inTime(started, ANSWERED_WITHIN_MS);
    own.redis.signal('SIGCONT');
    expect(answered).toBe('in time');
    // A script that redis-lua has sent may be executed when Redis resumes. The others write nothing without an answer.
    const expected = strategy === 'redis-lua' ? 'unknown' : 'refused';
    expect(new Set(hanging.map(({ kind }) => kind))).toEqual(new Set([expected]));
    const outcomes = [...hanging, ...(await servedAgain(strategy))];
    const ledger = (await shop.settledAudit(1)).orders;
    expect(ledger).toBeLessThanOrEqual(1 + count(outcomes, 'sold') + count(outcomes, 'unknown'));
    expect(await shop.settledAudit(1)).toMatchObject({ verdict: 'SAFE', redisRemaining: 1000 - ledger });
  });
});

/** All strategies at the same time, each with its own goods, so that they share one outage. */
describe('the strategies with a lock in Redis', () => {
  const ROUNDS = 20;
  const OUTAGE_MS = 1500;
  /** Redis, and a majority of the masters of Redlock. */
  const engines = () => [own.redis, ...own.redlock.slice(0, 3)];

  interface Sales {
    readonly strategy: StrategyListing;
    readonly goodsId: number;
  }
  async function openSales(): Promise<Sales[]> {
    const all = await shop.get<StrategyListing[]>('/strategies');
    const sales = all
      .filter(
        ({ needs, stock }) => stock === 'mysql' && (needs.includes('redis') || needs.includes('redlock')),
      )
      .map((strategy, index) => ({ strategy, goodsId: index + 1 }));
    for (const { strategy, goodsId } of sales) {
      await shop.listed(strategy.name);
      await shop.reset(goodsId, 1000);
    }
    return sales;
  }

  /** Buys, and checks that the answer arrives in time. */
  async function buyWithin(ms: number, { strategy, goodsId }: Sales): Promise<Outcome> {
    const started = performance.now();
    const outcome = await buy(shop, { strategy: strategy.name, goodsId });
    expect([strategy.name, outcome, pulse.inTime(started, ms)]).toEqual([strategy.name, outcome, 'in time']);
    return outcome;
  }

  async function expectServiceAndBooks(sales: Sales, before: readonly Outcome[]): Promise<void> {
    const { strategy, goodsId } = sales;
    const back = performance.now();
    const outcomes = [...before, ...(await servedAgain(strategy.name, goodsId))];
    const served = pulse.inTime(back, SERVED_AGAIN_WITHIN_MS);
    const ledger = await shop.soldOrderIds(goodsId);
    const audit = await shop.audit(goodsId);
    expect({
      strategy: strategy.name,
      served,
      soldIsInTheLedger: orderIds(outcomes).every((id) => ledger.includes(id)),
      nothingElseIs: ledger.length <= count(outcomes, 'sold') + count(outcomes, 'unknown'),
      verdict: audit.verdict,
    }).toEqual({
      strategy: strategy.name,
      served: 'in time',
      soldIsInTheLedger: true,
      nothingElseIs: true,
      verdict: 'SAFE',
    });
  }

  /** Kills it, and again after every restart, until the time is over. Then waits until it runs. */
  async function keepDown(engine: Supervised): Promise<void> {
    const until = performance.now() + OUTAGE_MS;
    while (performance.now() < until) {
      if (engine.pid !== undefined) engine.signal('SIGKILL');
      await sleep(10);
    }
    await eventually('it is back for good', () => engine.pid !== undefined);
  }

  /** Some of its masters always answer, so it can only report that it did not acquire the lock. */
  const byMajority = ({ strategy }: Sales) => strategy.needs.includes('redlock');

  function refusals(outcomes: readonly Outcome[]): string[] {
    return outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? [outcome.type] : []));
  }

  test('while Redis is killed, nothing is sold twice; soon after its restart all buyers are served', async () => {
    const sales = await openSales();
    const shopping = sales.map((sale) =>
      crowd(ROUNDS, async (index) => {
        await sleep((index * OUTAGE_MS * 1.5) / ROUNDS);
        return buyWithin(LOCK_WAIT_MS + ANSWERED_WITHIN_MS, sale);
      }),
    );
    await sleep(OUTAGE_MS / 4);
    await Promise.all(engines().map(keepDown));
    for (const [index, outcomes] of (await Promise.all(shopping)).entries()) {
      const { strategy } = sales[index] as Sales;
      const types = new Set(refusals(outcomes));
      expect([strategy.name, types.has('engine-unavailable')]).toEqual([strategy.name, true]);
      const allowed = ['engine-unavailable', 'lock-timeout', 'lock-lost', 'busy'];
      expect([strategy.name, [...types].filter((type) => !allowed.includes(type))]).toEqual([
        strategy.name,
        [],
      ]);
      await expectServiceAndBooks(sales[index] as Sales, outcomes);
    }
  });

  test('when Redis hangs, every request is answered in time, and correctly', async () => {
    const sales = await openSales();
    const first = await Promise.all(
      sales.map(({ strategy, goodsId }) => servedAgain(strategy.name, goodsId)),
    );
    for (const engine of engines()) engine.signal('SIGSTOP');
    const hanging = await Promise.all(
      sales.map((sale) => {
        const ms = byMajority(sale) ? LOCK_WAIT_MS + ANSWERED_WITHIN_MS : ANSWERED_WITHIN_MS;
        return crowd(4, () => buyWithin(ms, sale));
      }),
    );
    for (const engine of engines()) engine.signal('SIGCONT');
    for (const [index, sale] of sales.entries()) {
      const outcomes = hanging[index] as Outcome[];
      const { name } = sale.strategy;
      const truth = byMajority(sale) ? 'lock-timeout' : 'engine-unavailable';
      expect([name, outcomes]).toEqual([
        name,
        outcomes.map(() => ({ kind: 'refused', status: 503, type: truth })),
      ]);
      await expectServiceAndBooks(sale, [...(first[index] ?? []), ...outcomes]);
    }
  });
});
