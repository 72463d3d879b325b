import { connectRedis } from '../../src/locks/redis/connect.js';
import { parseRedisUrl, RedisUrlError } from '../../src/locks/redis/url.js';

const login = { username: 'shop', password: 'secret' };

test.each([
  [
    'redis://shop:secret@host:6380/2',
    { kind: 'single', tls: false, node: { host: 'host', port: 6380 }, db: 2, credentials: login },
  ],
  [
    'rediss://:secret@host',
    {
      kind: 'single',
      tls: true,
      node: { host: 'host', port: 6379 },
      db: 0,
      credentials: { password: 'secret' },
    },
  ],
  [
    'redis://[::1]:6380/',
    { kind: 'single', tls: false, node: { host: '::1', port: 6380 }, db: 0, credentials: {} },
  ],
  [
    'redis://shop:p%40ss%2Fw%25rd:x@host',
    {
      kind: 'single',
      tls: false,
      node: { host: 'host', port: 6379 },
      db: 0,
      credentials: { username: 'shop', password: 'p@ss/w%rd:x' },
    },
  ],
  [
    'redis+sentinel://shop:secret@one:1,two/stock/3?sentinelUser=watch&sentinelPassword=p%26q',
    {
      kind: 'sentinel',
      sentinels: [
        { host: 'one', port: 1 },
        { host: 'two', port: 26_379 },
      ],
      master: 'stock',
      db: 3,
      credentials: login,
      sentinelCredentials: { username: 'watch', password: 'p&q' },
    },
  ],
  [
    'redis+sentinel://one/stock',
    {
      kind: 'sentinel',
      sentinels: [{ host: 'one', port: 26_379 }],
      master: 'stock',
      db: 0,
      credentials: {},
      sentinelCredentials: {},
    },
  ],
  [
    'redis+cluster://shop:secret@one:1,[::1]:2',
    {
      kind: 'cluster',
      nodes: [
        { host: 'one', port: 1 },
        { host: '::1', port: 2 },
      ],
      credentials: login,
    },
  ],
])('%s is read', (url, address) => {
  expect(parseRedisUrl(url)).toEqual(address);
});

test.each([
  ['', 'must start with'],
  ['hunter2', 'must start with'],
  ['http://shop:hunter2@host', 'must start with'],
  ['redis+sentinels://shop:hunter2@host/stock', 'must start with'],
  ['constructor://shop:hunter2@host', 'must start with'],
  ['redis://', 'host:port'],
  ['redis://shop:hunter2@host:port', 'host:port'],
  ['redis://shop:hunter2@host:0', 'host:port'],
  ['redis://shop:hunter2@host:65536', 'host:port'],
  ['redis://shop:hunter2@two words', 'host:port'],
  ['redis://shop:hunter2@one,two', 'redis+sentinel:// or redis+cluster://'],
  ['redis://shop:hunter2@host/stock', 'number of a database'],
  ['redis://shop:hunter2@host/0/1', 'number of a database'],
  ['redis://shop:hunter2@host/0?family=6', 'no parameters'],
  ['redis://hunter2@host', 'must also have a password'],
  ['redis://shop:hunter@2@host', '%40'],
  ['redis://shop:hunter/2@host', '%40'],
  ['redis://shop:hunter#2@host', '%40'],
  ['redis://shop:hunter2%@host', '%25'],
  ['redis+sentinel://shop:hunter2@one:1,two:2', 'must name the master'],
  ['redis+sentinel://shop:hunter2@one:1,/stock', 'host:port'],
  ['redis+sentinel://shop:hunter2@one:1/stock/zero', 'number of a database'],
  ['redis+sentinel://shop:hunter2@one:1/stock?password=hunter2', 'no parameters but sentinelUser'],
  ['redis+sentinel://shop:hunter2@one:1/stock?sentinelUser=watch', 'must also have a password'],
  ['redis+cluster://shop:hunter2@one:1/1', 'number 0 only'],
  ['redis+cluster://shop:hunter2@', 'host:port'],
])('%s is refused, and its password not repeated', (url, message) => {
  const connect = () => connectRedis(url);
  expect(connect).toThrow(RedisUrlError);
  expect(connect).toThrow(message);
  expect(connect).not.toThrow(/hunter/);
});
