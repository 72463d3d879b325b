import { type Defaults, type Environment, readSettings } from '../../load-tests/lib/settings.ts';

const DEFAULTS: Defaults = { strategies: 'sql-atomic', stock: 1000, vus: 50, requests: 2000 };
const TOKEN = 'a-token-of-16-letters';

function read(env: Environment, defaults = DEFAULTS) {
  return readSettings('strategy', { ADMIN_TOKEN: TOKEN, ...env }, defaults);
}

test('a script that gets only the token has defaults for all settings', () => {
  expect(read({})).toEqual({
    script: 'strategy',
    baseUrl: 'http://localhost:8080',
    adminToken: TOKEN,
    strategies: ['sql-atomic'],
    goods: [1],
    stock: 1000,
    vus: 50,
    requests: 2000,
    durationS: 30,
    copies: 1,
    strict: false,
    report: 'reports/k6-strategy.json',
  });
});

test('settings come from the environment; an empty one is none', () => {
  const settings = read({
    BASE_URL: 'https://shop.example:8443/',
    STRATEGY: ' for-update ',
    GOODS: '3, 1,3',
    STOCK: '0',
    VUS: '',
    REQUESTS: '7',
    DURATION: '2m',
    COPIES: '4',
    STRICT: '1',
    REPORT: '',
  });
  expect(settings).toMatchObject({
    baseUrl: 'https://shop.example:8443',
    strategies: ['for-update'],
    goods: [3, 1],
    stock: 0,
    vus: 50,
    requests: 7,
    durationS: 120,
    copies: 4,
    strict: true,
    report: '',
  });
});

test('the script for all strategies takes a list, or none for all of them', () => {
  const all: Defaults = { stock: 1, vus: 1 };
  expect(read({}, all).strategies).toEqual([]);
  expect(read({ STRATEGIES: 'no-lock,mutex,no-lock' }, all).strategies).toEqual(['no-lock', 'mutex']);
});

test.each([
  ['STOCK', '-1', 'STOCK must be a whole number from 0 to 1000000, not "-1".'],
  ['STOCK', '1e3', 'STOCK must be a whole number from 0 to 1000000, not "1e3".'],
  ['VUS', '0', 'VUS must be a whole number from 1 to 10000, not "0".'],
  ['REQUESTS', 'many', 'REQUESTS must be a whole number from 1 to 10000000, not "many".'],
  ['COPIES', '21', 'COPIES must be a whole number from 1 to 20, not "21".'],
  ['GOODS', '1,x', 'GOODS must be a whole number from 1 to 2147483647, not "x".'],
  ['DURATION', '10', 'DURATION must be a length of time from 1s to 24h, such as 90s, not "10".'],
  ['DURATION', '0s', 'DURATION must be a length of time from 1s to 24h, such as 90s, not "0s".'],
  ['STRICT', 'yes', 'STRICT must be 1 or 0, not "yes".'],
  ['STRATEGY', '../etc', 'STRATEGY contains "../etc", which cannot be the name of a strategy.'],
  ['STRATEGY', 'a,b', 'STRATEGY must be one name, not "a,b"; the script all takes several.'],
  ['BASE_URL', 'localhost:8080', 'BASE_URL must look like http://localhost:8080, not "localhost:8080".'],
  ['BASE_URL', 'http://shop/path', 'BASE_URL must look like http://localhost:8080, not "http://shop/path".'],
])('%s=%s is refused with one clear line', (name, value, message) => {
  expect(() => read({ [name]: value })).toThrow(new Error(message));
});

test('a missing or malformed token is reported but not shown', () => {
  expect(() => read({ ADMIN_TOKEN: '' })).toThrow('ADMIN_TOKEN is missing');
  expect(() => read({ ADMIN_TOKEN: 'a b' })).toThrow(/^ADMIN_TOKEN must have 16 to 200 letters(?!.*a b)/);
});
