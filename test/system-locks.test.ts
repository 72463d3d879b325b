import { type HeldLock, type SystemView } from '../src/contract/lab-system.js';
import { LabApi } from '../src/lab/api/lab-api.js';
import { freePort } from '../src/lab/ports.js';
import { labConnection } from '../src/lab/servers.js';
import { buyPatiently } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { type HeldBuyer, HeldBuyers } from './support/held-buyers.js';

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string;
const TTL = expect.any(Number) as number;
const TOKEN = expect.stringMatching(/^[1-9]\d*$/) as string;
/** A strategy for each kind of lock. In this order, each has its own goods. */
const HOLDERS: readonly (Omit<HeldLock, 'key'> & { readonly strategy: string })[] = [
  { strategy: 'setnx-watchdog', kind: 'plain', owner: UUID, token: TOKEN, ttlMs: TTL, waiters: 0 },
  { strategy: 'reentrant', kind: 'reentrant', owner: UUID, token: TOKEN, ttlMs: TTL, waiters: 0 },
  { strategy: 'fair', kind: 'fair', owner: UUID, token: TOKEN, ttlMs: TTL, waiters: 0 },
  { strategy: 'read-write', kind: 'read-write', owner: UUID, token: TOKEN, ttlMs: TTL, waiters: 0 },
  { strategy: 'fencing-token', kind: 'fenced', owner: UUID, token: TOKEN, ttlMs: TTL, waiters: 0 },
  { strategy: 'setnx-lua', kind: 'setnx', owner: UUID, token: null, ttlMs: TTL, waiters: null },
  {
    strategy: 'redlock',
    kind: 'redlock',
    owner: expect.stringMatching(/^[0-9a-f]+$/) as string,
    token: null,
    ttlMs: TTL,
    waiters: null,
  },
  { strategy: 'unique-row', kind: 'unique-row', owner: UUID, token: null, ttlMs: TTL, waiters: null },
  {
    strategy: 'named-lock',
    kind: 'named-lock',
    owner: expect.stringMatching(/^connection \d+$/) as string,
    token: null,
    ttlMs: null,
    waiters: null,
  },
];
const goodsOf = (strategy: string) => HOLDERS.findIndex((holder) => holder.strategy === strategy) + 1;

let buyers: HeldBuyers;
let api: LabApi;
beforeAll(async () => {
  const port = await freePort();
  buyers = await HeldBuyers.open({
    instances: 2,
    labPort: port,
    // No lease ends during the test.
    env: { LOCK_LEASE_MS: '60000', LOCK_WAIT_MS: '60000' },
  });
  const { shop } = buyers;
  const { folder, servers: addresses, database } = shop;
  const report = () => undefined;
  api = await LabApi.start({ folder, addresses, engines: [], shop: shop.shop, database, port, report });
});
afterAll(async () => {
  await buyers.close();
  await api.stop();
});

const locks = async () => (await buyers.shop.get<SystemView>('/lab/system')).locks;
const lockOf = async (kind: string) => (await locks()).find((lock) => lock.kind === kind);

function hold(strategy: string, instance = 0): HeldBuyer {
  // `read-write` acquires the read lock first. The second lock is the write lock.
  const visit = strategy === 'read-write' ? 2 : 1;
  return buyers.start('afterLock', { strategy, goodsId: goodsOf(strategy) }, { instance, visit });
}

test('the system shows each held lock with the values of its holder', async () => {
  // Two grants at the other instance, so that the token differs from the holder's number of attempts.
  const other = buyers.shop.shop.instanceUrls[1] ?? '';
  const fenced = { strategy: 'fencing-token', goodsId: goodsOf('fencing-token'), at: other };
  for (let grant = 0; grant < 2; grant += 1) await buyPatiently(buyers.shop, fenced);

  const held = HOLDERS.map(({ strategy }) => hold(strategy));
  await Promise.all(held.map(({ halted }) => halted));
  const expected = HOLDERS.map(({ strategy, ...lock }) => ({ ...lock, key: `goods:${goodsOf(strategy)}` }));
  await eventually('all locks are shown', async () => (await locks()).length === expected.length);
  expect(await locks()).toEqual(expect.arrayContaining(expected));

  const token = (await lockOf('fenced'))?.token;
  expect(await Promise.all(held.map((buyer) => buyer.release()))).toEqual(
    held.map(() => expect.objectContaining({ kind: 'sold' }) as unknown),
  );
  const mysql = await labConnection(buyers.shop.servers, buyers.shop.database);
  const [rows] = await mysql.query('SELECT fence FROM goods WHERE id = ?', [fenced.goodsId]);
  await mysql.end();
  expect(rows).toEqual([{ fence: Number(token) }]);
  await eventually('no lock is left', async () => (await locks()).length === 0);
});

test.each(['plain', 'reentrant', 'fair'])('a waiter at another instance is counted: %s', async (kind) => {
  const strategy = HOLDERS.find((holder) => holder.kind === kind)?.strategy ?? '';
  const holder = hold(strategy);
  await holder.halted;
  const waiter = hold(strategy, 1);
  await eventually('the waiter is counted', async () => (await lockOf(kind))?.waiters === 1);
  expect(await lockOf(kind)).toMatchObject({ owner: UUID });
  expect(await holder.release()).toMatchObject({ kind: 'sold' });
  await waiter.halted;
  expect(await waiter.release()).toMatchObject({ kind: 'sold' });
});
