import { isDeepStrictEqual } from 'node:util';
import { buy, count, crowd } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { holdRow } from './support/held-row.js';
import { TestShop } from './support/test-shop.js';

let shop: TestShop;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 2 });
});
afterAll(() => shop.close());

interface Problem {
  readonly type: string;
  readonly status: number;
  readonly detail?: string;
}

async function problemOf(response: Response): Promise<Problem> {
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  return (await response.json()) as Problem;
}

const SELL_ONE = { quantity: 1 };

describe('the gateway', () => {
  test('forwards requests to the instances in turn', async () => {
    const instances: string[] = [];
    for (let i = 0; i < 4; i += 1)
      instances.push((await shop.get<{ instance: string }>('/health/live')).instance);
    expect(new Set(instances).size).toBe(2);
    expect(instances[0]).not.toBe(instances[1]);
  });

  test('limits the rate of a client, but not of requests with the admin token', async () => {
    const strict = await TestShop.open({
      instances: 1,
      rateLimit: { perSecond: 1, burst: 5, connections: 100 },
    });
    const ask = async (headers: Record<string, string>) => {
      const statuses: number[] = [];
      for (let i = 0; i < 40; i += 1)
        statuses.push((await fetch(`${strict.url}/health/live`, { headers })).status);
      return new Set(statuses);
    };
    expect(await ask(strict.headers)).toEqual(new Set([200]));
    expect(await ask({})).toEqual(new Set([200, 429]));
    // With other upper and lower case letters it is a wrong token.
    const swapped = strict.shop.adminToken.replaceAll(/[a-z]/gi, (letter) =>
      letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
    );
    expect(await ask({ authorization: `Bearer ${swapped}` })).toContain(429);
    expect(await problemOf(await fetch(`${strict.url}/goods`))).toMatchObject({ type: 'too-many-requests' });
    await strict.close();
  });
});

describe('the catalogue', () => {
  test('lists goods with all their fields', async () => {
    const goods = await shop.get<object[]>('/goods');
    expect(goods).toHaveLength(12);
    expect(await shop.get('/goods/1')).toEqual({
      id: 1,
      category: 'audio',
      brand: expect.any(String) as string,
      name: expect.any(String) as string,
      picture: '/pictures/audio.svg',
      description: expect.any(String) as string,
      status: 'on-sale',
      price: 49,
      supply: 1000,
      inventory: 1000,
      properties: expect.any(Object) as object,
      version: 0,
      leaseSeq: 0,
      runId: 1,
      createdAt: expect.any(String) as string,
      updatedAt: expect.any(String) as string,
    });
  });

  test.each(['0', '-1', '1.5', 'abc', '1e3', '0x1', '%20', "1'--", '2147483648', '99999999999999999999'])(
    'goods %s is not a number of goods',
    async (id) => {
      for (const path of ['', '/audit']) {
        expect(await problemOf(await fetch(`${shop.url}/goods/${id}${path}`))).toMatchObject({
          type: 'invalid-request',
          status: 400,
        });
      }
    },
  );

  test.each([
    ['DELETE', '/goods/1', 'GET, HEAD'],
    ['GET', '/goods/1/deduct/for-update', 'POST'],
    ['PUT', '/goods/1/reset?now', 'POST'],
    ['POST', '/strategies', 'GET, HEAD'],
  ])('%s %s is 405 and says what is allowed', async (method, path, allow) => {
    const response = await fetch(`${shop.url}${path}`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(await problemOf(response)).toMatchObject({ status: 405, title: 'Method Not Allowed' });
  });

  test('unknown goods, strategies and paths are 404', async () => {
    expect(await problemOf(await fetch(`${shop.url}/goods/999`))).toMatchObject({
      type: 'unknown-goods',
      status: 404,
    });
    expect(await problemOf(await fetch(`${shop.url}/goods/999/audit`))).toMatchObject({
      type: 'unknown-goods',
    });
    expect(await problemOf(await fetch(`${shop.url}/nowhere`))).toMatchObject({ status: 404 });
    for (const name of ['nothing', '__proto__', 'constructor', 'toString', 'FOR-UPDATE']) {
      const response = await shop.post(`/goods/1/deduct/${name}`, SELL_ONE);
      expect([name, (await problemOf(response)).type]).toEqual([name, 'unknown-strategy']);
    }
  });
});

describe('requests that cannot be read', () => {
  test.each<[string, { path?: string; headers?: Record<string, string>; body?: string }, number]>([
    ['text', { headers: { 'content-type': 'text/plain' }, body: 'quantity=1' }, 415],
    ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'quantity=1' }, 415],
    ['XML', { headers: { 'content-type': 'application/xml' }, body: '<quantity>1</quantity>' }, 415],
    ['more than an instance takes', { body: `{"quantity":1,"x":"${'x'.repeat(20_000)}"}` }, 413],
    ['more than the gateway takes', { body: `{"quantity":1,"x":"${'x'.repeat(70_000)}"}` }, 413],
    ['a path that cannot be decoded', { path: '/goods/%zz/deduct/for-update' }, 400],
    ['a path with a zero byte', { path: '/goods/2/deduct/for-update%00' }, 400],
    ['a key that is too short', { headers: { 'idempotency-key': 'short' } }, 400],
    ['a key that is too long', { headers: { 'idempotency-key': 'k'.repeat(65) } }, 400],
    ['a key with a quote', { headers: { 'idempotency-key': "12345678'--" } }, 400],
  ])('%s', async (_, { path = '/goods/2/deduct/for-update', headers, body = '{"quantity":1}' }, status) => {
    const response = await fetch(`${shop.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    expect(response.status).toBe(status);
    expect(await problemOf(response)).toMatchObject({ type: 'invalid-request', status });
    expect(await shop.audit(2)).toMatchObject({ sold: 0, remaining: 1000 });
  });
});

describe('admin calls', () => {
  test.each([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer wrong-wrong-wrong-wrong' }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic YWRtaW46YWRtaW4=' }],
  ])('%s is refused, and nothing is reset', async (_, headers) => {
    const response = await fetch(`${shop.url}/goods/3/reset`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"inventory":5}',
    });
    expect(await problemOf(response)).toMatchObject({ type: 'unauthorized', status: 401 });
    expect(await shop.audit(3)).toMatchObject({ runId: 3, initial: 1000 });
  });

  test.each([
    '{}',
    '{"inventory":-1}',
    '{"inventory":"5"}',
    '{"inventory":1.5}',
    '{"inventory":1000001}',
    '{"inventory":5,"x":1}',
  ])('a reset to %s is refused', async (body) => {
    expect(await problemOf(await shop.post('/goods/3/reset', body))).toMatchObject({
      type: 'invalid-request',
    });
    expect(await shop.audit(3)).toMatchObject({ initial: 1000, remaining: 1000 });
  });

  test('a reset starts a new run in MySQL and Redis, and the old run keeps its orders', async () => {
    await shop.post('/goods/3/deduct/sql-atomic', SELL_ONE);
    const before = await shop.audit(3);
    await shop.reset(3, 7, 'redis');
    const after = await shop.audit(3);
    expect(before).toMatchObject({ orders: 1, sold: 1, remaining: 999 });
    expect(after).toMatchObject({ verdict: 'SAFE', initial: 7, remaining: 7, redisRemaining: 7, orders: 0 });
    expect(after.runId).toBeGreaterThan(before.runId);
  });
});

describe('for operators', () => {
  test('health shows each engine', async () => {
    expect(await shop.get('/health/ready')).toMatchObject({
      status: 'ok',
      engines: { mysql: 'up', redis: 'up', redlock: 'up', 'redlock-1': 'up', 'redlock-5': 'up' },
    });
  });

  test('metrics count by strategy and outcome', async () => {
    const [instance = ''] = shop.shop.instanceUrls;
    const sale = { method: 'POST', headers: shop.headers, body: JSON.stringify(SELL_ONE) };
    await fetch(`${instance}/goods/4/deduct/named-lock`, sale);
    const text = await (await fetch(`${instance}/metrics`)).text();
    expect(text).toContain('lockstock_deductions_total{strategy="named-lock",outcome="sold"} 1');
    expect(text).toMatch(
      /lockstock_deduction_duration_seconds_bucket\{le="[\d.]+",strategy="named-lock",outcome="sold"\}/,
    );
    expect(text).toMatch(/lockstock_lock_wait_seconds_count\{strategy="named-lock"\} 1/);
    expect(text).toContain('lockstock_pool_connections{state="limit"} 20');
  });

  test('metrics count held locks and waiters by kind of lock', async () => {
    const [instance = ''] = shop.shop.instanceUrls;
    const locks = async () =>
      (await (await fetch(`${instance}/metrics`)).text()).match(/lockstock_locks\{lock="plain".*/g) ?? [];
    const row = await holdRow(shop, 4);
    const sales = crowd(3, () => buy(shop, { strategy: 'setnx-watchdog', goodsId: 4, at: instance }));
    await eventually('one holds and two wait', async () =>
      isDeepStrictEqual(await locks(), [
        'lockstock_locks{lock="plain",state="held"} 1',
        'lockstock_locks{lock="plain",state="waiting"} 2',
      ]),
    );
    await row.letGo();
    expect(count(await sales, 'sold')).toBe(3);
    expect(await locks()).toEqual([
      'lockstock_locks{lock="plain",state="held"} 0',
      'lockstock_locks{lock="plain",state="waiting"} 0',
    ]);
  });

  test('the OpenAPI document has the schemas that are enforced', async () => {
    const { paths } = await shop.get<{ paths: Record<string, Record<string, { requestBody?: unknown }>> }>(
      '/docs-json',
    );
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/strategies',
        '/goods',
        '/goods/{id}/deduct/{strategy}',
        '/orders/{strategy}',
        '/goods/{id}/audit',
      ]),
    );
    expect(JSON.stringify(paths['/goods/{id}/deduct/{strategy}']?.['post']?.requestBody)).toContain(
      '"maximum":100',
    );
    expect((await fetch(`${shop.url}/docs`)).status).toBe(200);
  });

  test('every answer has security headers and a request id', async () => {
    const { headers } = await fetch(`${shop.url}/goods/1`);
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
    expect(headers.get('x-instance')).toMatch(/^instance-[12]$/);
    expect(headers.get('server')).toBe('nginx');
  });

  test('the page is served', async () => {
    const response = await fetch(`${shop.url}/`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<title>Lockstock');
  });
});
