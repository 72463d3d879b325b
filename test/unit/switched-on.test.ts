import { readSettings } from '../../src/config/settings.js';
import { switchedOn } from '../../src/strategies/support/switched-on.js';

const KNOWN = [
  { name: 'no-lock', safe: 'never' },
  { name: 'mutex', safe: 'one-process' },
  { name: 'setnx-lua', safe: 'while-the-lease-holds' },
  { name: 'for-update', safe: 'always' },
] as const;
const DATABASE_URL = 'mariadb://user:secret@127.0.0.1:3306/lockstock';
const on = (environment: NodeJS.ProcessEnv) => [
  ...switchedOn(KNOWN, readSettings({ DATABASE_URL, ...environment })),
];

test('all are on, in production those that never oversell', () => {
  expect(on({})).toEqual(['no-lock', 'mutex', 'setnx-lua', 'for-update']);
  expect(on({ NODE_ENV: 'production' })).toEqual(['for-update']);
});

test('STRATEGIES decides, also in production', () => {
  expect(on({ NODE_ENV: 'production', STRATEGIES: 'mutex, no-lock' })).toEqual(['mutex', 'no-lock']);
  expect(on({ NODE_ENV: 'production', STRATEGIES: 'all' })).toHaveLength(4);
  expect(on({ NODE_ENV: 'production', STRATEGIES: '' })).toEqual(['for-update']);
});

test('a name that does not exist is an error that lists those that do', () => {
  expect(() => on({ STRATEGIES: 'for-update,for-updat' })).toThrow(
    /STRATEGIES names for-updat, which does not exist\. There are: for-update, mutex, no-lock, setnx-lua/,
  );
});
