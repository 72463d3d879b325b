import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Supervised } from '../src/lab/processes/supervisor.js';
import { type Servers } from '../src/lab/servers.js';
import { buy, buyPatiently, count, crowd, orderIds, type Outcome } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { isHere } from './support/optional-servers.js';
import { openOnOwnServers } from './support/own-servers.js';
import { type TestShop } from './support/test-shop.js';

/** The wait for the lock, the call that is in flight at its end, and a reserve for a busy machine. */
const ANSWERED_WITHIN_MS = 6000;
const SERVED_AGAIN_WITHIN_MS = 8000;

let own: Servers;
let shop: TestShop;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ own, shop, close } = await openOnOwnServers());
});
afterAll(() => close());

function types(outcomes: readonly Outcome[]): Set<string> {
  return new Set(outcomes.map((outcome) => (outcome.kind === 'refused' ? outcome.type : outcome.kind)));
}

/** The ledger has exactly the acknowledged orders. These locks leave no outcome unknown. */
async function expectBooksInOrder(outcomes: readonly Outcome[]): Promise<void> {
  const ledger = await shop.soldOrderIds(1);
  expect(ledger).toEqual(orderIds(outcomes));
  expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold: ledger.length });
}

describe.each(['etcd', 'zookeeper'].filter(isHere))('%s', (strategy) => {
  const server = (): Supervised => {
    const found = strategy === 'etcd' ? own.etcd : own.zookeeper;
    if (!found) throw new Error(`no ${strategy}`);
    return found;
  };
  beforeEach(async () => {
    await shop.listed(strategy, true);
    await shop.reset(1, 1000);
  });

  test('when its server is killed, answers come in bounded time, and all buyers are served soon after the restart', async () => {
    const before = server().pid;
    let longest = 0;
    const outcomes = await crowd(150, async (index) => {
      await sleep(index * 10);
      if (index === 50) server().signal('SIGKILL');
      const started = performance.now();
      const outcome = await buy(shop, { strategy });
      longest = Math.max(longest, performance.now() - started);
      return outcome;
    });
    expect(longest).toBeLessThan(ANSWERED_WITHIN_MS);
    // The server may be back before a wait times out.
    const honest = ['sold', 'engine-unavailable', 'lock-timeout', 'lock-lost', 'busy'];
    expect([...types(outcomes)].filter((type) => !honest.includes(type))).toEqual([]);
    await eventually('it runs again', () => server().pid !== undefined && server().pid !== before);
    const back = performance.now();
    const after = await crowd(20, () => buyPatiently(shop, { strategy }));
    expect(performance.now() - back).toBeLessThan(SERVED_AGAIN_WITHIN_MS);
    expect(count(after, 'sold')).toBe(20);
    await expectBooksInOrder([...outcomes, ...after]);
  });

  test('when its server hangs, answers come in bounded time, and the strategy is listed as not available', async () => {
    await buyPatiently(shop, { strategy });
    server().signal('SIGSTOP');
    try {
      const started = performance.now();
      const hanging = await crowd(10, () => buy(shop, { strategy }));
      expect(performance.now() - started).toBeLessThan(ANSWERED_WITHIN_MS);
      expect(count(hanging, 'sold')).toBe(0);
      expect(
        [...types(hanging)].filter((type) => !['engine-unavailable', 'lock-timeout'].includes(type)),
      ).toEqual([]);
      await shop.listed(strategy, false);
      // The other strategies sell, and the instance is ready.
      expect(await buyPatiently(shop, { strategy: 'for-update', goodsId: 2 })).toMatchObject({
        kind: 'sold',
      });
      for (const at of shop.shop.instanceUrls) expect((await fetch(`${at}/health/ready`)).status).toBe(200);
    } finally {
      server().signal('SIGCONT');
    }
    expect(await buyPatiently(shop, { strategy })).toMatchObject({ kind: 'sold' });
    expect((await shop.audit(1)).verdict).toBe('SAFE');
  });

  test('an instance that starts without the server offers the other strategies, and this one when the server runs', async () => {
    server().signal('SIGSTOP');
    const instance = shop.instance(0);
    const before = instance.pid;
    try {
      instance.signal('SIGTERM');
      await eventually(
        'the instance is ready again',
        () => instance.pid !== undefined && instance.pid !== before,
      );
      const at = shop.shop.instanceUrls[0] ?? '';
      await shop.listed(strategy, false, [at]);
      expect(await buy(shop, { strategy, at })).toMatchObject({ status: 503, type: 'engine-unavailable' });
      expect(await buyPatiently(shop, { strategy: 'sql-atomic', goodsId: 2, at })).toMatchObject({
        kind: 'sold',
      });
    } finally {
      server().signal('SIGCONT');
    }
    await shop.listed(strategy, true);
    expect(await buyPatiently(shop, { strategy })).toMatchObject({ kind: 'sold' });
  });
});

test('no instance crashed or logged an unhandled error', () => {
  for (const name of ['instance-1', 'instance-2']) {
    const log = readFileSync(shop.folder.in(`logs/${name}.log`), 'utf8');
    expect(log).not.toMatch(/unhandled|uncaught|Node\.js v\d|MaxListeners/i);
  }
});
