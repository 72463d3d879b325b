import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type StrategyListing } from '../src/contract/strategy.js';
import { SERVICE_PROGRAM } from '../src/lab/paths.js';
import { labConnection, migrationEnvironment } from '../src/lab/servers.js';
import { buy, buyPatiently, count, crowd, orderIds } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { servers, TestShop } from './support/test-shop.js';

async function startAlone(env: Record<string, string>): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [SERVICE_PROGRAM], { env: { PATH: process.env['PATH'], ...env } });
  let said = '';
  child.stdout.on('data', (text) => (said += String(text)));
  child.stderr.on('data', (text) => (said += String(text)));
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, said };
}

describe('an instance that cannot start prints the reason and exits', () => {
  test('without settings', async () => {
    const { code, said } = await startAlone({});
    expect(code).toBe(1);
    expect(said).toContain('DATABASE_URL is not set');
    expect(said).not.toContain('    at ');
  });

  test('with a wrong password', async () => {
    const url = `mariadb://lockstock_owner:wrong@127.0.0.1:${servers.databasePort}/lockstock`;
    const { code, said } = await startAlone({ DATABASE_URL: url });
    expect(code).toBe(1);
    expect(said).toContain('Cannot connect to the database: Access denied');
    expect(said).not.toContain('wrong@');
  });

  test('on an old schema, without an account that can migrate it', async () => {
    const { DATABASE_URL = '', MIGRATIONS_URL = '' } = migrationEnvironment(
      servers,
      `lockstock_empty_${Date.now()}`,
    );
    const connection = await labConnection(servers);
    await connection.query(`CREATE DATABASE ${new URL(DATABASE_URL).pathname.slice(1)}`);
    await connection.end();
    const { code, said } = await startAlone({ DATABASE_URL: MIGRATIONS_URL });
    expect(code).toBe(1);
    expect(said).toContain('MIGRATIONS_URL');
  });
});

test('STRATEGIES with a name that does not exist is an error at the start', async () => {
  const database = `lockstock_named_${Date.now()}`;
  const connection = await labConnection(servers);
  await connection.query(`CREATE DATABASE ${database}`);
  await connection.end();
  const { code, said } = await startAlone({
    ...migrationEnvironment(servers, database),
    PORT: '0',
    LOG_LEVEL: 'silent',
    STRATEGIES: 'for-update,no-luck',
  });
  expect(code).toBe(1);
  expect(said).toMatch(/STRATEGIES names no-luck, which does not exist\. There are: .*no-lock/);
  expect(said).not.toContain('    at ');
});

test('a variable that looks like a mistyped setting is in the log', async () => {
  const shop = await TestShop.open({ instances: 1, env: { DATABASE_POOL_SIZE: '4' } });
  expect(readFileSync(shop.folder.in('logs/instance-1.log'), 'utf8')).toMatch(
    /"level":40,.*DATABASE_POOL_SIZE is not a setting and has no effect\. Is DATABASE_POOL meant\?/,
  );
  await shop.close();
});

test('in production only strategies that never oversell are offered; the others are not listed, and are 404', async () => {
  const shop = await TestShop.open({ instances: 1, env: { NODE_ENV: 'production' } });
  const listed = await shop.get<StrategyListing[]>('/strategies');
  expect(new Set(listed.map(({ safe }) => safe))).toEqual(new Set(['always']));
  expect(await buy(shop, { strategy: 'for-update' })).toMatchObject({ kind: 'sold' });
  for (const strategy of ['no-lock', 'mutex', 'setnx-lua'])
    expect([strategy, await buy(shop, { strategy })]).toEqual([
      strategy,
      { kind: 'refused', status: 404, type: 'unknown-strategy' },
    ]);
  expect(await buy(shop, { strategy: 'no-lock', basket: [1, 2] })).toMatchObject({
    type: 'unknown-strategy',
  });
  await shop.close();
});

describe('a running instance', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await TestShop.open({
      instances: 1,
      env: { MAX_IN_FLIGHT: '20', DATABASE_POOL: '4', LOCK_WAIT_MS: '1000' },
    });
  });
  afterAll(() => shop.close());

  /** Locks the row of goods 1, as a slow transaction does. */
  async function holdRow() {
    const connection = await labConnection(servers, shop.database);
    await connection.query('START TRANSACTION');
    await connection.query('SELECT id FROM goods WHERE id = 1 FOR UPDATE');
    return {
      letGo: async () => {
        await connection.query('ROLLBACK');
        await connection.end();
      },
    };
  }

  test('answers lock-timeout with Retry-After when the wait for a row lock times out', async () => {
    const row = await holdRow();
    const response = await shop.post('/goods/1/deduct/for-update', { quantity: 1 });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ type: 'lock-timeout' });
    await row.letGo();
    expect(await buyPatiently(shop, { strategy: 'for-update' })).toMatchObject({ kind: 'sold' });
  });

  test('answers busy at once when its queue is full', async () => {
    const row = await holdRow();
    const outcomes = await crowd(60, () => buy(shop, { strategy: 'for-update' }));
    await row.letGo();
    const types = outcomes.map((outcome) => (outcome.kind === 'refused' ? outcome.type : outcome.kind));
    expect(types.filter((type) => type === 'busy').length).toBeGreaterThanOrEqual(40);
    expect(new Set(types)).toEqual(new Set(['busy', 'lock-timeout']));
    expect(await buyPatiently(shop, { strategy: 'for-update' })).toMatchObject({ kind: 'sold' });
  });

  test('retries when the server rolls it back to resolve a deadlock', async () => {
    // This transaction holds goods 2 and wants goods 1, the other one the reverse: the server must roll one of them back.
    const connection = await labConnection(servers, shop.database);
    await connection.query('START TRANSACTION');
    for (const id of [2, 3, 4, 5, 6])
      await connection.query('UPDATE goods SET supply = supply + 1 WHERE id = ?', [id]);
    const basket = shop.post('/orders/for-update', {
      items: [
        { goodsId: 1, quantity: 1 },
        { goodsId: 2, quantity: 1 },
      ],
    });
    const waiting = "SELECT COUNT(*) AS n FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
    const observer = await labConnection(servers);
    // The server refreshes this view only when it was not read for 100 ms.
    await eventually('the basket waits', async () => {
      await sleep(120);
      return ((await observer.query(waiting)) as unknown as [[{ n: number }]])[0][0].n > 0;
    });
    // This transaction has written rows, so the server rolls the other one back (error 1213).
    await connection.query('SELECT id FROM goods WHERE id = 1 FOR UPDATE');
    await connection.query('ROLLBACK');
    const response = await basket;
    const { orders } = (await response.json()) as { orders: { attempts: number }[] };
    expect(response.status).toBe(200);
    expect(orders[0]?.attempts).toBe(2);
    await connection.end();
    await observer.end();
  });

  test('while the database is down the answer is 503; after its restart it is used again', async () => {
    const connection = await labConnection(servers);
    const kill = async () => {
      const [rows] = await connection.query('SELECT id FROM information_schema.processlist WHERE db = ?', [
        shop.database,
      ]);
      for (const { id } of rows as { id: number }[])
        await connection.query(`KILL ${id}`).catch(() => undefined);
      return (rows as unknown[]).length;
    };
    await shop.reset(2, 500);
    const sales = crowd(200, async (index) => {
      await sleep(index * 5);
      return buy(shop, { strategy: 'sql-atomic', goodsId: 2 });
    });
    let killed = 0;
    await eventually('ten connections are killed', async () => (killed += await kill()) >= 10);
    const outcomes = await sales;
    await connection.end();
    const types = new Set(outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? [outcome.type] : [])));
    expect([...types].every((type) => ['engine-unavailable', 'busy'].includes(type))).toBe(true);
    const ledger = await shop.soldOrderIds(2);
    expect(ledger).toEqual(expect.arrayContaining(orderIds(outcomes)));
    expect(ledger.length).toBeLessThanOrEqual(count(outcomes, 'sold') + count(outcomes, 'unknown'));
    expect(await shop.audit(2)).toMatchObject({ verdict: 'SAFE', sold: ledger.length });
  });

  test('after SIGTERM it finishes the requests in flight', async () => {
    await shop.reset(3, 500);
    const row = await holdRow();
    const running = crowd(3, () => buy(shop, { strategy: 'for-update', goodsId: 1 }));
    const url = shop.shop.instanceUrls[0] ?? '';
    await eventually('three are under way', async () =>
      (await (await fetch(`${url}/metrics`)).text()).includes('in_flight{strategy="for-update"} 3'),
    );
    const before = shop.instance(0).pid;
    shop.instance(0).signal('SIGTERM');
    await sleep(100);
    await row.letGo();
    expect(count(await running, 'sold')).toBe(3);
    await eventually(
      'it is back',
      () => shop.instance(0).pid !== undefined && shop.instance(0).pid !== before,
    );
  });
});
