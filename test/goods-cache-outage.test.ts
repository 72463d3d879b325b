import { type Redis } from 'ioredis';
import { type Connection } from 'mysql2/promise';
import { SERVICE_ACCOUNT } from '../src/lab/engines/redis.js';
import { TcpProxy } from '../src/lab/tcp-proxy.js';
import { labConnection } from '../src/lab/servers.js';
import { type Goods } from '../src/stock/goods.entity.js';
import { eventually } from './support/eventually.js';
import { databaseReads } from './support/goods-reads.js';
import { asLab, servers, TestShop } from './support/test-shop.js';

const GOODS = 9;
const UNKNOWN_GOODS = 999;
const LOCK = `lockstock:lock:plain:{page:${GOODS}}`;
/** The rights on keys that the lab grants the service. */
const EVERYTHING = ['~lockstock:*'];
/** The only rights on keys that the service keeps while Redis refuses the other commands. */
const REFUSALS = {
  'the cached goods can neither be read nor written': ['~lockstock:lock:*'],
  'the cached goods cannot be written': ['~lockstock:lock:*', '%R~lockstock:{goods:*'],
  'the lock cannot be acquired': ['~lockstock:{goods:*'],
};

let wire: TcpProxy;
let shop: TestShop;
let redis: Redis;
let mysql: Connection;
beforeAll(async () => {
  const url = new URL(servers.redisUrl);
  wire = await TcpProxy.to(Number(url.port));
  url.port = String(wire.port);
  shop = await TestShop.open({
    instances: 1,
    env: { LOCK_WAIT_MS: '100' },
    servers: { ...servers, redisUrl: url.href, redisLabUrl: asLab(servers.redisUrl) },
  });
  redis = shop.redis();
  mysql = await labConnection(servers, shop.database);
});
afterEach(async () => {
  wire.set({ requests: 'pass' });
  await mysql.query('UNLOCK TABLES');
  await allow(EVERYTHING);
  await redis.flushdb();
});
afterAll(async () => {
  await mysql.end();
  redis.disconnect();
  await shop.close();
  await wire.close();
});

const allow = (keys: readonly string[]) =>
  redis.call('ACL', 'SETUSER', SERVICE_ACCOUNT, 'resetkeys', ...keys);

/** The answer to GET /goods/:id, and the number of reads of the database for it. */
async function read(goodsId: number): Promise<object> {
  const before = await databaseReads(shop);
  const response = await fetch(`${shop.url}/goods/${goodsId}`);
  const { name, type } = (await response.json()) as Partial<Goods> & { type?: string };
  return { status: response.status, name, type, reads: (await databaseReads(shop)) - before };
}

const FROM_DATABASE = { status: 200, name: 'Day pack', reads: 1 };
const NOT_FOUND = { status: 404, type: 'unknown-goods', reads: 1 };

describe.each(Object.entries(REFUSALS))('while %s', (_, keys) => {
  test('goods are read from the database once', async () => {
    await allow(keys);
    expect(await read(GOODS)).toMatchObject(FROM_DATABASE);
  });

  test('unknown goods are still 404', async () => {
    await allow(keys);
    expect(await read(UNKNOWN_GOODS)).toMatchObject(NOT_FOUND);
  });
});

test('while Redis does not answer, goods are read from the database once', async () => {
  wire.set({ requests: 'hold' });
  expect(await read(GOODS)).toMatchObject(FROM_DATABASE);
});

test('an entry that is not JSON is ignored', async () => {
  await redis.set(`lockstock:{goods:${GOODS}}:page`, '{"half":');
  expect(await read(GOODS)).toMatchObject(FROM_DATABASE);
});

test('goods are not loaded again when the lock is lost during the load', async () => {
  await mysql.query('LOCK TABLES goods WRITE');
  const answer = read(GOODS);
  await eventually('the lock is held', async () => (await redis.exists(LOCK)) === 1);
  await redis.del(LOCK);
  await allow(REFUSALS['the lock cannot be acquired']);
  await mysql.query('UNLOCK TABLES');
  expect(await answer).toMatchObject(FROM_DATABASE);
});

test('a database that does not answer is asked once, and the answer is an error', async () => {
  await mysql.query('LOCK TABLES goods WRITE');
  expect(await read(GOODS)).toMatchObject({ status: 503, type: 'engine-unavailable', reads: 1 });
});
