import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataFolder } from '../src/lab/data-folder.js';
import { Guard } from '../src/lab/processes/guard.js';
import { Servers } from '../src/lab/servers.js';
import { buy, count, crowd, orderIds, type Outcome } from './support/buyers.js';
import { TestShop } from './support/test-shop.js';

/** A command waits for 1 s; the rest is for a machine that has other things to do too. */
const ANSWERED_WITHIN_MS = 2000;
const SERVED_AGAIN_WITHIN_MS = 5000;

let guard: Guard;
let own: Servers;
let shop: TestShop;
beforeAll(async () => {
  // Servers of this file's own: the shared ones must not go away under others.
  guard = new Guard();
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-outage-')));
  guard.addFile(folder.path);
  await folder.occupy({ fresh: false });
  own = await Servers.start(folder, guard, () => undefined);
  shop = await TestShop.open({ instances: 2, servers: own.addresses });
});
afterAll(async () => {
  await shop.close();
  await own.stop();
  await guard.close();
});

/** Buys until a purchase succeeds. */
async function servedAgain(strategy: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (;;) {
    const outcome = await buy(shop, { strategy });
    outcomes.push(outcome);
    if (outcome.kind === 'sold') return outcomes;
    await sleep(50);
  }
}

/** Every yes is in the ledger, nothing else is but what nobody can know, and the books agree. */
async function expectBooksInOrder(outcomes: readonly Outcome[]): Promise<void> {
  const audit = await shop.settledAudit(1);
  const ledger = await shop.soldOrderIds(1);
  expect(ledger).toEqual(expect.arrayContaining(orderIds(outcomes)));
  expect(ledger.length).toBeLessThanOrEqual(count(outcomes, 'sold') + count(outcomes, 'unknown'));
  expect(audit).toMatchObject({ verdict: 'SAFE', sold: ledger.length, redisRemaining: 1000 - ledger.length });
}

describe.each(['redis-watch', 'redis-decr', 'redis-lua'])('%s', (strategy) => {
  test('while Redis is stopped and started again, nothing is sold twice and nothing is lost', async () => {
    await shop.reset(1, 1000);
    const before = own.redis.pid;
    const outcomes: Outcome[] = await crowd(300, async (index) => {
      await sleep(index * 5);
      if (index === 80) own.redis.signal('SIGTERM');
      return buy(shop, { strategy });
    });
    const refusals = new Set(outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? outcome.type : [])));
    expect(refusals).toContain('engine-unavailable');
    expect([...refusals].filter((type) => !['engine-unavailable', 'busy'].includes(type))).toEqual([]);
    while (own.redis.pid === undefined || own.redis.pid === before) await sleep(20);
    const back = performance.now();
    outcomes.push(...(await servedAgain(strategy)));
    expect(performance.now() - back).toBeLessThan(SERVED_AGAIN_WITHIN_MS);
    await expectBooksInOrder(outcomes);
  });

  test('a Redis that hangs is an answer within the time of a command, and no false one', async () => {
    await shop.reset(1, 1000);
    await buy(shop, { strategy });
    own.redis.signal('SIGSTOP');
    const started = performance.now();
    const hanging = await crowd(20, () => buy(shop, { strategy }));
    const waited = performance.now() - started;
    own.redis.signal('SIGCONT');
    expect(waited).toBeLessThan(ANSWERED_WITHIN_MS);
    // What redis-lua has sent may be accepted when Redis wakes up; the others write nothing without an answer.
    const expected = strategy === 'redis-lua' ? 'unknown' : 'refused';
    expect(new Set(hanging.map(({ kind }) => kind))).toEqual(new Set([expected]));
    const outcomes = [...hanging, ...(await servedAgain(strategy))];
    const ledger = (await shop.settledAudit(1)).orders;
    expect(ledger).toBeLessThanOrEqual(1 + count(outcomes, 'sold') + count(outcomes, 'unknown'));
    expect(await shop.settledAudit(1)).toMatchObject({ verdict: 'SAFE', redisRemaining: 1000 - ledger });
  });
});
