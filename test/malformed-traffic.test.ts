import { setTimeout as sleep } from 'node:timers/promises';
import { buy, count, type Outcome } from './support/buyers.js';
import { LARGE_HEADERS, request, sendRaw } from './support/raw-http.js';
import { TestShop } from './support/test-shop.js';

let shop: TestShop;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 3 });
});
afterAll(() => shop.close());

const HOST = 'localhost';
const UNKNOWN_METHOD = request('FOO /goods HTTP/1.1', HOST);
const OVERSIZED = request('GET /goods HTTP/1.1', HOST, ...LARGE_HEADERS);
/** Malformed requests per second; far below the rate limit. */
const PER_SECOND = 120;
/** nginx forwards it, and Node cannot parse it. */
const CONTROL_CHARACTER = request('GET /goods HTTP/1.1', HOST, 'X: \u0001');
const HUGE = request('GET /goods HTTP/1.1', HOST, ...LARGE_HEADERS, ...LARGE_HEADERS);

describe.each([
  ['the gateway', () => shop.url],
  ['an instance without the gateway', () => shop.shop.instanceUrls[0] ?? ''],
])('%s answers as problem+json and closes the connection', (_, url) => {
  test.each([
    ['an unknown method', UNKNOWN_METHOD, 405],
    ['headers that are too large', HUGE, 431],
    ['a control character in a header', CONTROL_CHARACTER, 400],
    ['what is not HTTP', 'GET hello world\r\n\r\n', 400],
    ['no Host', 'GET /goods HTTP/1.0\r\n\r\n', 400],
  ])('%s', async (_what, text, status) => {
    const { head, body, ...answer } = await sendRaw(url(), text);
    expect([answer.status, JSON.parse(body)]).toEqual([
      status,
      expect.objectContaining({ type: 'invalid-request', status }),
    ]);
    expect(head).toContain('content-type: application/problem+json');
    expect(head).toContain('connection: close');
    if (status === 405) expect(head).toMatch(/^allow: .*get/m);
  });
});

describe('the gateway alone', () => {
  test.each([
    ['TRACE', request('TRACE /goods HTTP/1.1', HOST), 405],
    ['PROPFIND, which Node could read', request('PROPFIND /goods HTTP/1.1', HOST), 405],
    ['22 KB of headers, which an instance would take', OVERSIZED, 431],
    ['a URL that is too long', request(`GET /${'x'.repeat(9000)} HTTP/1.1`, HOST), 414],
    ['another version', request('GET /goods HTTP/3.0', HOST), 505],
  ])('answers %s itself', async (_, text, status) => {
    const { head, body, ...answer } = await sendRaw(shop.url, text);
    expect([answer.status, JSON.parse(body)]).toEqual([
      status,
      expect.objectContaining({ type: 'invalid-request', status }),
    ]);
    expect(head).not.toContain('x-instance');
  });
});

test.each([
  ['unknown methods', UNKNOWN_METHOD],
  ['oversized headers', OVERSIZED],
  ['what nginx passes on and Node cannot read', CONTROL_CHARACTER],
])(
  '%s at the same time as purchases: no purchase fails',
  async (_, text) => {
    await shop.reset(1, 100_000);
    const garbage: Promise<unknown>[] = [];
    const attack = setInterval(
      () => garbage.push(sendRaw(shop.url, text).catch(() => undefined)),
      1000 / PER_SECOND,
    );
    const outcomes: Outcome[] = [];
    const buyers = Array.from({ length: 8 }, async () => {
      for (let bought = 0; bought < 60; bought += 1) {
        outcomes.push(await buy(shop, { strategy: 'sql-atomic', goodsId: 1 }));
        // The gateway then has idle connections.
        await sleep(50);
      }
    });
    await Promise.all(buyers);
    clearInterval(attack);
    await Promise.all(garbage);
    expect(garbage.length).toBeGreaterThan(100);
    expect(outcomes.filter(({ kind }) => kind !== 'sold')).toEqual([]);
    expect(count(outcomes, 'sold')).toBe(480);
  },
  120_000,
);
