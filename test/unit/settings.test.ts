import { readSettings } from '../../src/config/settings.js';

const GOOD = { DATABASE_URL: 'mariadb://user:secret@127.0.0.1:3306/lockstock' };

test('a database is all that an instance needs', () => {
  expect(readSettings(GOOD)).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    databasePool: 20,
    redisUrl: undefined,
    adminToken: undefined,
    lockWaitMs: 2000,
  });
});

test('an empty variable counts as not set', () => {
  expect(readSettings({ ...GOOD, REDIS_URL: '', ADMIN_TOKEN: '' })).toMatchObject({
    redisUrl: undefined,
    adminToken: undefined,
  });
});

test('everything that is wrong is said at once', () => {
  expect(() => readSettings({ PORT: 'eighty', ADMIN_TOKEN: 'short' })).toThrow(
    /DATABASE_URL is not set[\s\S]*|PORT must be a whole number[\s\S]*ADMIN_TOKEN must have at least 16/,
  );
});

test.each([
  ['DATABASE_URL', 'postgres://host/lockstock', 'mysql:// or mariadb://'],
  ['DATABASE_URL', 'mysql://host', 'name of a database'],
  ['DATABASE_URL', 'not a url', 'mysql:// or mariadb://'],
  ['REDIS_URL', 'http://host', 'redis:// or rediss://'],
  ['PORT', '65536', 'PORT'],
  ['PORT', '-1', 'whole number'],
  ['PORT', '1e3', 'whole number'],
  ['DATABASE_POOL', '0', 'DATABASE_POOL'],
  ['INSTANCE', 'a b', 'letters'],
  ['LOG_LEVEL', 'loud', 'LOG_LEVEL'],
  ['NODE_ENV', 'prod', 'NODE_ENV'],
  ['ADMIN_TOKEN', 'short', 'at least 16'],
])('%s=%s is refused', (name, value, message) => {
  expect(() => readSettings({ ...GOOD, [name]: value })).toThrow(message);
});

test('a password never appears in a message', () => {
  const read = () => readSettings({ DATABASE_URL: 'mysql://user:hunter2@host' });
  expect(read).toThrow('DATABASE_URL');
  expect(read).not.toThrow('hunter2');
});
