import { WrongTokens } from '../../src/http/wrong-tokens.js';

let now = 0;
let tokens: WrongTokens;
beforeEach(() => {
  now = 0;
  tokens = new WrongTokens(() => now);
});
const fail = (address: string, times: number) => {
  for (let i = 0; i < times; i += 1) tokens.wrong(address);
};

test('some mistakes cost nothing; then each costs twice as long, up to half a minute', () => {
  fail('10.0.0.1', 9);
  expect(tokens.waitOf('10.0.0.1')).toBe(0);
  const waits = Array.from({ length: 8 }, () => {
    tokens.wrong('10.0.0.1');
    return tokens.waitOf('10.0.0.1');
  });
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  now = 29_001;
  expect(tokens.waitOf('10.0.0.1')).toBe(1);
  now = 30_000;
  expect(tokens.waitOf('10.0.0.1')).toBe(0);
});

test('other clients do not wait, and a right token or time clears the count', () => {
  fail('10.0.0.1', 12);
  expect(tokens.waitOf('10.0.0.2')).toBe(0);
  tokens.right('10.0.0.1');
  expect(tokens.waitOf('10.0.0.1')).toBe(0);
  fail('10.0.0.1', 12);
  now = 600_000;
  tokens.wrong('10.0.0.1');
  expect(tokens.waitOf('10.0.0.1')).toBe(0);
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['2001:db8::1', '2001:db8::2', true],
  ['::ffff:10.0.0.1', '::ffff:10.0.0.2', false],
])('%s and %s are one client: %s', (one, other, same) => {
  fail(one, 12);
  expect(tokens.waitOf(other) > 0).toBe(same);
});

test('many clients do not fill the memory: the oldest failures are dropped', () => {
  fail('10.0.0.1', 12);
  for (let i = 0; i < 1000; i += 1) tokens.wrong(`10.1.${i >> 8}.${i & 255}`);
  expect(tokens.waitOf('10.0.0.1')).toBe(0);
});
