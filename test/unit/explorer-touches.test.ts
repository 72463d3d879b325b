import { coordinationTouches } from '../../src/lab/explorer/coordination-touches.js';
import { HOUSEKEEPING, isHousekeeping } from '../../src/lab/explorer/housekeeping.js';
import { independent, type Touches } from '../../src/lab/explorer/model.js';
import { MysqlTouches } from '../../src/lab/explorer/mysql-touches.js';
import { type Answered, type Effect, onlyRepeats, withoutRandom } from '../../src/lab/explorer/polling.js';
import { RedisTouches } from '../../src/lab/explorer/redis-touches.js';

const READ = 'SELECT inventory FROM goods WHERE id = ?';
const LOCKING_READ = `${READ} FOR UPDATE`;
const WRITE = 'UPDATE goods SET inventory = ? WHERE id = ?';
const SALE = 'INSERT INTO orders (kind) VALUES ?';

/** The touches of the last of these statements of one request. */
function after(...statements: string[]): Touches {
  const session = new MysqlTouches();
  return statements.map((text) => session.of(text, ['lockstock:goods:1'])).at(-1) as Touches;
}

function commute(a: Touches, b: Touches): boolean {
  const choice = (touches: Touches) => ({ id: '', actor: '', touches, causes: [] });
  return independent(choice(a), choice(b));
}

const TX = 'START TRANSACTION';
const READS_IN_TX = after(TX, READ);
const WRITES_IN_TX = after(TX, WRITE);
const COMMITS_A_WRITE = after(TX, WRITE, 'COMMIT');

describe('in MySQL', () => {
  test.each([
    ['two plain reads', READS_IN_TX, READS_IN_TX],
    ['a plain read and a change that is not committed', READS_IN_TX, WRITES_IN_TX],
    ['START TRANSACTION and a COMMIT', after(TX), COMMITS_A_WRITE],
    ['a COMMIT that changed nothing and any other', after(TX, READ, 'COMMIT'), COMMITS_A_WRITE],
    ['a read and a ROLLBACK', READS_IN_TX, after(TX, WRITE, 'ROLLBACK')],
    ['changes of different tables', after(TX, WRITE), after(TX, SALE)],
    [
      'different named locks',
      after('SELECT GET_LOCK(?, ?)'),
      new MysqlTouches().of('SELECT GET_LOCK(?, ?)', ['x']),
    ],
  ])('%s commute', (_name, a, b) => {
    expect(commute(a, b)).toBe(true);
  });

  test.each([
    ['a plain read and the COMMIT of a change', READS_IN_TX, COMMITS_A_WRITE],
    ['the first read of a transaction and a COMMIT in another table', READS_IN_TX, after(TX, SALE, 'COMMIT')],
    ['two changes', WRITES_IN_TX, WRITES_IN_TX],
    ['a locking read and a change', after(TX, LOCKING_READ), WRITES_IN_TX],
    ['a change and the COMMIT that releases its row', WRITES_IN_TX, COMMITS_A_WRITE],
    ['a change and the ROLLBACK that releases its row', WRITES_IN_TX, after(TX, WRITE, 'ROLLBACK')],
    ['a read and a change outside of transactions', after(READ), after(WRITE)],
    ['acquiring and releasing a named lock', after('SELECT GET_LOCK(?, ?)'), after('SELECT RELEASE_LOCK(?)')],
    ['a statement that is not understood and a read', after('CALL something()'), after(READ)],
  ])('%s do not commute', (_name, a, b) => {
    expect(commute(a, b)).toBe(false);
  });
});

describe('in Redis', () => {
  const of = (text: string, keys: string[], server = 'redis') =>
    new RedisTouches().of(server, 'connection 1', text, keys);

  test('commands commute when they touch different keys, different servers, or only read', () => {
    expect(commute(of('SET a 1', ['a']), of('SET b 1', ['b']))).toBe(true);
    expect(commute(of('SET a 1', ['a'], 'redlock-1'), of('SET a 1', ['a'], 'redlock-2'))).toBe(true);
    expect(commute(of('GET a', ['a']), of('GET a', ['a']))).toBe(true);
    expect(commute(of('GET a', ['a']), of('DEL a', ['a']))).toBe(false);
    expect(commute(of('SET a 1 NX', ['a']), of('SET a 2 NX', ['a']))).toBe(false);
  });

  test('a script is a write of its keys, and a command without keys one of the whole server', () => {
    expect(commute(of('EVALSHA unlock.lua 1 a', ['a']), of('GET a', ['a']))).toBe(false);
    expect(commute(of('EVALSHA sold-out.lua 1 a', ['a']), of('GET a', ['a']))).toBe(true);
    expect(commute(of('FLUSHALL', []), of('FLUSHALL', []))).toBe(false);
  });

  test('EXEC depends on the watched keys, and on WATCH commands of other requests on its connection', () => {
    const request = new RedisTouches();
    request.of('redis', 'c', 'WATCH stock', ['stock']);
    const exec = request.of('redis', 'c', 'MULTI; DECRBY other 1; EXEC', ['other']);
    expect(commute(exec, of('SET stock 1', ['stock']))).toBe(false);
    const again = request.of('redis', 'c', 'MULTI; DECRBY other 1; EXEC', ['other']);
    expect(commute(again, of('SET stock 1', ['stock']))).toBe(true);
    expect(commute(exec, new RedisTouches().of('redis', 'c', 'WATCH stock', ['stock']))).toBe(false);
  });
});

describe('a waiter that polls', () => {
  const touches = { reads: [], writes: ['lock'] };
  const failed = (step: number, command = 'SET lock'): Answered => ({
    command,
    answer: 'null',
    step,
    touches,
  });
  const by = (actor: string, ...writes: string[]): Effect => ({ actor, writes });

  test('waits until another actor has changed what it reads', () => {
    const effects = [by('A', 'lock'), by('B', 'lock')];
    expect(onlyRepeats('SET lock', 'B', [failed(1)], effects)).toBe(true);
    expect(onlyRepeats('SET lock', 'B', [failed(1)], [...effects, by('A', 'row')])).toBe(true);
    expect(onlyRepeats('SET lock', 'B', [failed(1)], [...effects, by('A', 'lock')])).toBe(false);
    expect(onlyRepeats('SET lock', 'B', [failed(1)], [...effects, by('B', 'lock')])).toBe(true);
  });

  test('may send another command, or the first one of a round that it has not repeated yet', () => {
    expect(onlyRepeats('GET lock', 'B', [failed(0)], [by('B')])).toBe(false);
    const round = (step: number) => [failed(step), failed(step + 1, 'UPDATE')];
    expect(onlyRepeats('SET lock', 'B', round(0), [by('B'), by('B')])).toBe(false);
    expect(
      onlyRepeats('SET lock', 'B', [...round(0), ...round(2)], [by('B'), by('B'), by('B'), by('B')]),
    ).toBe(true);
  });

  test('is recognised although each attempt has its own owner and order number', () => {
    const attempt = (owner: string) => withoutRandom(`SET lock ${owner} PX 20000 NX`);
    expect(attempt('0b9f5c1e-7b1c-4d53-9a52-2f6f4c7b9a10:1')).toBe(
      attempt('1b9f5c1e-7b1c-4d53-9a52-2f6f4c7b9a11:2'),
    );
    expect(withoutRandom('HSET reservations 1000000000001 1')).toBe(
      withoutRandom('HSET reservations 1000000000002 1'),
    );
    expect(withoutRandom('GET a')).not.toBe(withoutRandom('GET b'));
  });
});

describe('housekeeping', () => {
  test('does not include anything that sells or locks', () => {
    for (const text of [
      READ,
      WRITE,
      SALE,
      'COMMIT',
      'EVALSHA plain-acquire.lua 1 a',
      'SET lock 1 NX',
      'DEL lock',
    ])
      expect(isHousekeeping(text)).toBe(false);
    expect(
      isHousekeeping('MULTI; INCR lockstock:{goods:1}:changes; DEL lockstock:{goods:1}:page; EXEC'),
    ).toBe(true);
    expect(isHousekeeping('MULTI; DECRBY lockstock:{goods:1}:stock 1; EXEC')).toBe(false);
  });

  test('gives a reason for every exception', () => {
    for (const { why } of HOUSEKEEPING) expect(why.length).toBeGreaterThan(20);
  });
});

describe('in etcd and ZooKeeper', () => {
  const queue = ['/lockstock/lock/key-1'];
  const of = (text: string) => coordinationTouches('zookeeper', text, queue);

  test('a place in the queue is a change of the queue, and looking at it is not', () => {
    const changes = ['create /a/b-', 'delete /a/b-1', 'put a/b if it is new, and read the queue'].map(of);
    const looks = [
      'getChildren /a',
      'exists /a/b',
      'getData and watch /a/b',
      'read the queue ahead of a/b',
    ].map(of);
    for (const change of changes)
      for (const other of [...changes, ...looks]) expect(commute(change, other)).toBe(false);
    for (const one of looks) for (const other of looks) expect(commute(one, other)).toBe(true);
  });

  test('queues of two services, and of two keys, are different', () => {
    const change = of('create /a');
    expect(commute(change, coordinationTouches('etcd', 'delete /a', queue))).toBe(true);
    expect(commute(change, coordinationTouches('zookeeper', 'delete /a', ['/lockstock/lock/key-2']))).toBe(
      true,
    );
  });
});
