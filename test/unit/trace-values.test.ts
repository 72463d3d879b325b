import { shown, shownError } from '../../src/checkpoints/shown-value.js';
import { callerOfCommand } from '../../src/checkpoints/command-source.js';
import { answerText } from '../../src/lab/evidence/answer-text.js';
import { withValues } from '../../src/lab/evidence/command-text.js';
import { type CommandExchange, NamedValues } from '../../src/lab/evidence/named-values.js';
import { withScriptName } from '../../src/lab/evidence/package-scripts.js';

describe('a statement with its values', () => {
  test.each([
    ['SELECT inventory FROM goods WHERE id = ?', [1], 'SELECT inventory FROM goods WHERE id = 1'],
    [
      'UPDATE goods SET inventory = ?, last_writer = ? WHERE id = ?',
      [0, 'no-lock', 1],
      "UPDATE goods SET inventory = 0, last_writer = 'no-lock' WHERE id = 1",
    ],
    ['SELECT GET_LOCK(?, ?) AS got', ['goods:1', 4], "SELECT GET_LOCK('goods:1', 4) AS got"],
    [
      'INSERT INTO orders (kind, number, quantity) VALUES ?',
      [[['SALE', null, 1]]],
      "INSERT INTO orders (kind, quantity, …) VALUES ('SALE', 1, …)",
    ],
    [
      'INSERT INTO orders (kind, number) VALUES ?',
      [
        [
          ['SALE', 7],
          ['SALE', 8],
        ],
      ],
      "INSERT INTO orders (kind, number) VALUES ('SALE', 7), ('SALE', 8)",
    ],
    [
      'INSERT INTO lock_rows (name, expires_at) VALUES (?, NOW(3) + INTERVAL ? MICROSECOND)',
      ['goods:1', 700000],
      "INSERT INTO lock_rows (name, expires_at) VALUES ('goods:1', NOW(3) + INTERVAL 700000 MICROSECOND)",
    ],
    ['COMMIT', [], 'COMMIT'],
  ])('%s', (sql, values, text) => {
    expect(withValues(sql, values)).toBe(text);
  });
});

describe('an answer in a few words', () => {
  const mysql = (text: string, value: unknown) => answerText({ server: 'mysql', text }, { value });
  const redis = (text: string, value: unknown) => answerText({ server: 'redis', text }, { value });

  test.each([
    ['rows', mysql('SELECT inventory, version', [{ inventory: 1, version: 3 }]), 'inventory 1, version 3'],
    ['no rows', mysql('SELECT 1', []), 'no rows'],
    ['a change', mysql('UPDATE goods SET x = 1', { affectedRows: 1 }), '1 row'],
    ['a refused change', mysql('UPDATE goods SET x = 1', { affectedRows: 0 }), '0 rows'],
    ['COMMIT', mysql('COMMIT', { affectedRows: 0 }), 'OK'],
    [
      'a number of LAST_INSERT_ID',
      mysql('UPDATE goods SET lease_seq = LAST_INSERT_ID(lease_seq + 1)', { affectedRows: 1, insertId: 7 }),
      '1 row, lease_seq 7',
    ],
    ['a procedure', mysql('CALL f()', [[{ outcome: 'sold' }], { affectedRows: 1 }]), 'outcome sold'],
    ['a granted lock', redis('EVALSHA plain-acquire.lua 2 k f owner 700', 7), 'granted, token 7'],
    ['a held lock', redis('EVALSHA plain-acquire.lua 2 k f owner 700', -640), 'not free'],
    ['a lost lock', redis('EVALSHA unlock.lua 1 k owner', 0), 'not the owner any more'],
    ['a vote', redis('EVALSHA redlock-lock.lua 1 k owner 700', 1), 'vote granted'],
    ['nothing', redis('SET k owner PX 700 NX', null), 'nil'],
    ['fields', redis('HMGET k id run', ['a', null]), 'id a, run nil'],
    ['a transaction', redis('EXEC', [0, 1]), '0, 1'],
  ])('%s', (_what, told, words) => {
    expect(told).toBe(words);
  });

  test.each([
    ['getData and watch /queue/A', null, 'watched'],
    ['exists /queue/A', null, 'not there'],
    ['getChildren /queue', ['A', 'B'], '2 in the queue'],
  ])('ZooKeeper answers %s', (text, value, answer) => {
    expect(answerText({ server: 'zookeeper', text }, { value })).toBe(answer);
  });

  test('an error has its number', () => {
    const error = Object.assign(new Error('Deadlock found'), { errno: 1213 });
    expect(answerText({ server: 'mysql', text: 'UPDATE' }, { error: shownError(error) })).toBe(
      'error: 1213 Deadlock found',
    );
  });
});

describe('values that differ from run to run', () => {
  const exchange = (
    buyer: string,
    text: string,
    values: readonly unknown[],
    value: unknown,
  ): CommandExchange => ({
    buyer,
    command: { id: 1, server: 'mysql', text, values },
    answer: { value },
  });

  test('have names, ranks, or the distance from the first version', () => {
    const read = exchange('A', 'SELECT version, run_id AS runId', [], [{ version: 57, runId: 12 }]);
    const sql = 'UPDATE goods SET fence = ? WHERE run_id = ? AND version = ?';
    const written = exchange('A', sql, [33, 12, 58], { affectedRows: 1 });
    const values = new NamedValues([read, written], { token: [32] });
    expect(withValues(sql, [33, 12, 58], values.render)).toBe(
      'UPDATE goods SET fence = 2 WHERE run_id = <run> AND version = 1',
    );
    expect(answerText(read.command, read.answer ?? {}, values.render)).toBe('version 0, runId <run>');
  });

  test('tokens that nothing compares are left out', () => {
    const acquire = { id: 1, server: 'redis', text: 'EVALSHA plain-acquire.lua 2 k f o 700', values: [] };
    const values = new NamedValues([{ buyer: 'A', command: acquire, answer: { value: 7 } }], {});
    expect(answerText(acquire, { value: 7 }, values.render)).toBe('granted');
  });

  test('an owner in an answer is named after the buyer that sent it', () => {
    const owner = '0e37a1c2-9ed0-4a78-ab6f-31d5ad347c65';
    const set = { id: 1, server: 'redis', text: `SET k ${owner} PX 700 NX`, values: [] };
    expect(new NamedValues([{ buyer: 'A', command: set }], {}).senderNamed(owner)).toBe('owner-A');
  });
});

describe('secrets', () => {
  test.each([
    [
      'the rows of the table of secrets',
      "SELECT value FROM secrets WHERE name = 'cancel-token'",
      [{ value: 'hush' }],
    ],
    ['parameters of it', 'INSERT INTO secrets (name, value) VALUES (?, ?)', 'hush'],
    ['bytes of any kind', 'SELECT hash FROM goods', [{ hash: Buffer.from('hush') }]],
  ])('%s do not leave the instance', (_what, text, value) => {
    expect(JSON.stringify(shown(text, value))).not.toMatch(/hush|104,117/);
  });
});

describe('the line that sent a command', () => {
  const stack = (...places: readonly string[]) =>
    ['Error', ...places.map((place) => `    at async ${place.replace('@', ' (/x/src/')}:7:3)`)].join('\n');

  test.each([
    [
      'the strategy’s own before what strategies share',
      [
        'Stock.read@stock/stock.ts',
        'NoLock.deduct@strategies/unsafe/no-lock.ts',
        'sell@use-cases/deductions.ts',
      ],
      'src/strategies/unsafe/no-lock.ts',
    ],
    [
      'what strategies share before the use case',
      ['sell@use-cases/deductions.ts', 'withLock@strategies/support/with-lock.ts'],
      'src/strategies/support/with-lock.ts',
    ],
    [
      'the lock',
      ['PlainLock.ask@locks/redis/plain-lock.ts', 'sell@use-cases/deductions.ts'],
      'src/locks/redis/plain-lock.ts',
    ],
  ])('is %s', (_what, places, file) => {
    expect(callerOfCommand(stack(...places))).toMatchObject({ file, line: 7 });
  });
});

test('a script of the redlock package has a name; the hash of any other script stays', () => {
  const key = '1 lockstock:lock:redlock:goods:1 owner 700';
  const text =
    'EVAL -- Return 0 if an entry already exists. for i, key in ipairs(KEYS) do if redis.call("exists"';
  expect(withScriptName(`${text} ${key}`)).toBe(`EVAL redlock-lock.lua ${key}`);
  expect(withScriptName(`EVALSHA ${'0'.repeat(40)} ${key}`)).toBe(`EVALSHA ${'0'.repeat(40)} ${key}`);
});
