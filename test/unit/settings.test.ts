import { mistypedSettings, readSettings } from '../../src/config/settings.js';
import { parseEtcdUrl, parseZookeeperUrl } from '../../src/locks/index.js';

const GOOD = { DATABASE_URL: 'mariadb://user:secret@127.0.0.1:3306/lockstock' };

test('a database is all that an instance needs', () => {
  expect(readSettings(GOOD)).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    databasePool: 20,
    goodsShare: 75,
    redisUrl: undefined,
    redlockUrls: [],
    etcdUrl: undefined,
    zookeeperUrl: undefined,
    adminToken: undefined,
    lockWaitMs: 2000,
    stockSegments: 5,
  });
});

test('an empty variable counts as not set', () => {
  expect(readSettings({ ...GOOD, REDIS_URL: '', ADMIN_TOKEN: '' })).toMatchObject({
    redisUrl: undefined,
    adminToken: undefined,
  });
});

test('all wrong settings are reported at once', () => {
  expect(() => readSettings({ PORT: 'eighty', ADMIN_TOKEN: 'short' })).toThrow(
    /DATABASE_URL is not set[\s\S]*|PORT must be a whole number[\s\S]*ADMIN_TOKEN must have 16 to 200/,
  );
});

test('a setting of an earlier version is refused, with the name that it has now', () => {
  expect(() => readSettings({ ...GOOD, GATE_PATIENCE_MS: '1000' })).toThrow(
    /^Invalid environment:\n {2}GATE_PATIENCE_MS is now called REDIS_ORDER_TIMEOUT_MS: rename it\n/,
  );
  expect(() => readSettings({ ...GOOD, GATE_PATIENCE_MS: '1000', PORT: 'x' })).toThrow(
    /GATE_[^]*PORT must be/,
  );
  // docker-compose.yml passes unset values in this form.
  expect(readSettings({ ...GOOD, GATE_PATIENCE_MS: '' })).toMatchObject({ redisOrderTimeoutMs: 5000 });
});

test.each([
  ['STRATEGYS', 'STRATEGIES'],
  ['LOCK_WAIT', 'LOCK_WAIT_MS'],
  ['DATABASE_POOL_SIZE', 'DATABASE_POOL'],
  ['MAX_INFLIGHT', 'MAX_IN_FLIGHT'],
  ['database_url', 'DATABASE_URL'],
  ['STRATEGY', 'STRATEGIES'],
])('%s, which has no effect, leads to a warning that names %s', (given, meant) => {
  expect(mistypedSettings({ ...GOOD, [given]: 'x' })).toEqual([
    `${given} is not a setting and has no effect. Is ${meant} meant?`,
  ]);
});

test('there is no warning of variables that belong to other programs', () => {
  const others = ['HOSTNAME', 'HOME', 'PATH', 'TERM', 'LANG', 'PORTS', 'PWD', 'NODE_OPTIONS', 'NODE_VERSION'];
  const injected = ['REDIS_PORT', 'REDIS_SERVICE_HOST', 'DATABASE', 'MYSQL_ROOT_PASSWORD', 'LOG'];
  expect(mistypedSettings(Object.fromEntries([...others, ...injected].map((name) => [name, 'x'])))).toEqual(
    [],
  );
  expect(mistypedSettings(GOOD)).toEqual([]);
});

test.each([
  ['DATABASE_URL', 'postgres://host/lockstock', 'mysql:// or mariadb://'],
  ['DATABASE_URL', 'mysql://host', 'name of a database'],
  ['DATABASE_URL', 'not a url', 'mysql:// or mariadb://'],
  ['REDIS_URL', 'http://host', 'REDIS_URL must start with redis://, rediss://'],
  ['REDIS_URL', 'redis+sentinel://host:26379', 'must name the master'],
  ['REDLOCK_URLS', 'redis://a', 'an odd number of masters, three or more'],
  ['REDLOCK_URLS', 'redis://a,redis://b', 'an odd number of masters'],
  ['REDLOCK_URLS', 'redis://a,redis://b,redis://c,redis://d', 'an odd number of masters'],
  ['REDLOCK_URLS', 'redis://a,redis://b,redis://b:6379', 'two votes'],
  ['REDLOCK_URLS', 'redis://a,redis://b,redis+cluster://c', 'independent masters'],
  ['REDLOCK_URLS', 'redis://a,redis://b,http://c', 'must list Redis URLs, and one must start with redis://'],
  ['ETCD_URL', 'etcd://a:2379', 'ETCD_URL must be http:// or https://'],
  ['ETCD_URL', 'http://a:2379,', 'separated by commas'],
  ['ETCD_URL', 'http://a:2379,https://b:2379', 'must not mix'],
  ['ETCD_URL', 'http://a:2379/path', 'must end after host and port'],
  ['ZOOKEEPER_URL', 'a:2181', 'ZOOKEEPER_URL must be zookeeper://host:2181'],
  ['ZOOKEEPER_URL', 'zookeeper://a', 'zookeeper://host:2181'],
  ['ZOOKEEPER_URL', 'zookeeper://a:2181,', 'after commas'],
  ['ZOOKEEPER_URL', 'zookeeper://a:2181/../b', 'zookeeper://host:2181'],
  ['ADMIN_TOKEN', 'quoted"quoted"quoted', 'ADMIN_TOKEN must have 16 to 200'],
  ['ALLOWED_HOSTS', 'shop.example,http://evil.example', 'ALLOWED_HOSTS must be names such as'],
  ['ALLOWED_HOSTS', '*', 'ALLOWED_HOSTS must be names such as'],
  ['TRUSTED_PROXIES', 'everybody', 'TRUSTED_PROXIES must be addresses'],
  ['STRATEGIES', 'for-update;no-lock', 'STRATEGIES must be names'],
  ['STRATEGIES', ' , ', 'STRATEGIES must not be an empty list'],
  ['PORT', '65536', 'PORT'],
  ['PORT', '-1', 'whole number'],
  ['PORT', '1e3', 'whole number'],
  ['DATABASE_POOL', '0', 'DATABASE_POOL'],
  ['GOODS_SHARE', '0', 'GOODS_SHARE'],
  ['GOODS_SHARE', '101', 'GOODS_SHARE'],
  ['STOCK_SEGMENTS', '0', 'STOCK_SEGMENTS'],
  ['STOCK_SEGMENTS', '65', 'STOCK_SEGMENTS'],
  ['REDIS_ORDER_TIMEOUT_MS', '499', 'REDIS_ORDER_TIMEOUT_MS'],
  ['MAX_EVENT_LOOP_DELAY_MS', '0', 'MAX_EVENT_LOOP_DELAY_MS'],
  ['INSTANCE', 'a b', 'letters'],
  ['LOG_LEVEL', 'loud', 'LOG_LEVEL'],
  ['NODE_ENV', 'prod', 'NODE_ENV'],
  ['ADMIN_TOKEN', 'short', 'ADMIN_TOKEN must have 16 to 200'],
])('%s=%s is refused', (name, value, message) => {
  expect(() => readSettings({ ...GOOD, [name]: value })).toThrow(message);
});

test.each([
  'redis://lockstock:secret@127.0.0.1:6379/0',
  'rediss://lockstock:secret@redis.example',
  'redis+sentinel://lockstock:secret@one:26379,two:26379/shop/0?sentinelUser=s&sentinelPassword=t',
  'redis+cluster://lockstock:secret@one:6379,two:6379',
])('REDIS_URL=%s is taken', (url) => {
  expect(readSettings({ ...GOOD, REDIS_URL: url }).redisUrl).toBe(url);
});

test('the masters of a Redlock are a list', () => {
  const urls = ['redis://:x@a:1/0', 'redis://:x@a:2/0', 'redis://:x@a:3/0'];
  expect(readSettings({ ...GOOD, REDLOCK_URLS: urls.join(', ') }).redlockUrls).toEqual(urls);
});

test.each([
  ['ETCD_URL', 'http://127.0.0.1:2379'],
  ['ETCD_URL', 'https://user:p%40ss@one.example:2379,https://user:p%40ss@two.example'],
  ['ZOOKEEPER_URL', 'zookeeper://127.0.0.1:2181'],
  ['ZOOKEEPER_URL', 'zookeeper://one:2181,two:2181/shop/locks'],
  ['ZOOKEEPER_URL', 'zookeeper://user:p%40ss@one:2181,two:2181/shop/locks'],
])('%s=%s is taken', (name, url) => {
  const { etcdUrl, zookeeperUrl } = readSettings({ ...GOOD, [name]: url });
  expect(etcdUrl ?? zookeeperUrl).toBe(url);
});

test('the address of etcd or ZooKeeper is read into its servers and an account', () => {
  expect(parseEtcdUrl('https://user:p%40ss@one.example:2379, https://two.example')).toEqual({
    hosts: ['https://one.example:2379', 'https://two.example:2379'],
    auth: { username: 'user', password: 'p@ss' },
  });
  expect(parseEtcdUrl('http://[::1]:2379')).toEqual({ hosts: ['http://[::1]:2379'], auth: undefined });
  expect(parseZookeeperUrl('zookeeper://one:2181,two:2181/')).toEqual({
    servers: 'one:2181,two:2181',
    auth: undefined,
  });
  expect(parseZookeeperUrl('zookeeper://user:p%40ss@one:2181,two:2181/shop/locks')).toEqual({
    servers: 'one:2181,two:2181/shop/locks',
    auth: { username: 'user', password: 'p@ss' },
  });
});

test.each([
  ['ETCD_URL', 'http://user@one:2379'],
  ['ETCD_URL', 'http://user:%zz@one:2379'],
  ['ZOOKEEPER_URL', 'zookeeper://user:@one:2181'],
  ['ZOOKEEPER_URL', 'zookeeper://:password@one:2181'],
  ['ZOOKEEPER_URL', 'zookeeper://user:%zz@one:2181'],
])('%s=%s: half an account is refused', (name, url) => {
  expect(() => readSettings({ ...GOOD, [name]: url })).toThrow(/must have (both )?a user and a password/);
});

test('a password never appears in a message', () => {
  const read = () => readSettings({ DATABASE_URL: 'mysql://user:hunter2@host' });
  expect(read).toThrow('DATABASE_URL');
  expect(read).not.toThrow('hunter2');
  for (const name of ['REDIS_URL', 'REDLOCK_URLS', 'ETCD_URL', 'ZOOKEEPER_URL']) {
    const readRedis = () => readSettings({ ...GOOD, [name]: 'redis://user:hunter2@host:port' });
    expect(readRedis).toThrow(name);
    expect(readRedis).not.toThrow('hunter2');
  }
});

test('checkpoints are for experiments on this machine, never for production', () => {
  const armed = { ...GOOD, CHECKPOINTS: '127.0.0.1:4000' };
  expect(readSettings(armed)).toMatchObject({ checkpoints: '127.0.0.1:4000' });
  expect(readSettings(GOOD)).toMatchObject({ checkpoints: undefined });
  expect(() => readSettings({ ...armed, NODE_ENV: 'production' })).toThrow(
    'CHECKPOINTS must not be set under NODE_ENV=production',
  );
  expect(() => readSettings({ ...GOOD, CHECKPOINTS: '10.0.0.1:4000' })).toThrow('an address of this machine');
});
