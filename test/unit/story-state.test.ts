import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Evidence, type StoredState } from '../../src/contract/evidence.js';
import { type Happened, StoryState } from '../../src/lab/evidence/story-state.js';
import { withReplies } from '../../src/lab/evidence/replies.js';
import { type TraceEntry } from '../../src/lab/evidence/trace.js';
import { SHIPPED_EVIDENCE } from '../../src/lab/paths.js';

const command = (buyer: string, server: string, text: string, told: string, value?: unknown): Happened => ({
  buyer,
  server,
  command: text,
  step: { actor: 'instance-1', to: server, kind: 'query', text: `${buyer}: ${text}` },
  answer: { value: value ?? told },
  told,
});
const sql = (buyer: string, text: string, told: string) => command(buyer, 'mysql', text, told);
const redis = (buyer: string, text: string, told: string, value?: unknown) =>
  command(buyer, 'redis', text, told, value);

function after(stock: number, ...happened: readonly Happened[]): StoredState | undefined {
  const state = new StoryState(stock);
  for (const one of happened) state.take(one);
  return state.changed;
}

const WRITE = sql('A', 'UPDATE goods SET inventory = 0, version = 1 WHERE id = 1 AND run_id = 3', '1 row');
const ORDER = sql('A', "INSERT INTO orders (kind, quantity, …) VALUES ('SALE', 1, …)", '1 row');
const [BEGIN, COMMIT, ROLLBACK] = ['START TRANSACTION', 'COMMIT', 'ROLLBACK'].map((text) =>
  sql('A', text, 'OK'),
) as [Happened, Happened, Happened];

describe('what is stored', () => {
  test('changes at COMMIT, and not at ROLLBACK', () => {
    expect(after(1, BEGIN, WRITE, ORDER)).toEqual({ inventory: 1, sold: 0 });
    expect(after(1, BEGIN, WRITE, ORDER, COMMIT)).toEqual({ inventory: 0, sold: 1 });
    expect(after(1, BEGIN, WRITE, ORDER, ROLLBACK)).toEqual({ inventory: 1, sold: 0 });
  });

  test('is unknown after a COMMIT without an answer', () => {
    const { buyer, server, command: text, step, told } = COMMIT;
    const unanswered = { buyer, told, step, ...(server && { server }), ...(text && { command: text }) };
    expect(after(1, BEGIN, WRITE, ORDER, unanswered)).toEqual({});
  });

  test('does not change when no row matched', () => {
    expect(after(1, BEGIN, { ...WRITE, told: '0 rows' }, COMMIT)).toEqual({ inventory: 1, sold: 0 });
  });

  test('of a killed instance is rolled back', () => {
    const request: Happened = {
      buyer: 'A',
      told: '',
      step: { actor: 'A', to: 'instance-1', kind: 'request', text: 'buys' },
    };
    const kill: Happened = {
      buyer: 'lab',
      told: '',
      step: { actor: 'lab', to: 'instance-1', kind: 'fault', text: 'SIGKILL: instance-1 is killed' },
    };
    expect(after(1, request, BEGIN, WRITE, kill, COMMIT)).toEqual({ inventory: 1, sold: 0 });
  });

  test('has the stock of Redis from its answers, also in a transaction', () => {
    const [multi, decr, exec] = [
      redis('A', 'MULTI', 'OK'),
      redis('A', 'DECRBY lockstock:{goods:1}:stock 1', 'QUEUED'),
      redis('A', 'EXEC', '4', [4]),
    ];
    expect(after(5, multi, decr)).toEqual({ inventory: 5, sold: 0 });
    expect(after(5, multi, decr, exec)).toEqual({ inventory: 5, sold: 0, redisStock: 4 });
  });

  test('names the holders of locks', () => {
    const set = (buyer: string, told: string) =>
      redis(buyer, `SET lockstock:setnx:{goods:1} owner PX 700 NX`, told);
    const held = after(1, set('A', 'OK'));
    expect(held?.locks).toEqual([{ holder: 'A', at: 'redis', leaseMs: 700 }]);
    expect(after(1, set('A', 'OK'), set('B', 'nil'))?.locks).toEqual(held?.locks);
    expect(
      after(1, set('A', 'OK'), redis('A', 'EVALSHA unlock.lua 1 lockstock:setnx:{goods:1} o', 'deleted'))
        ?.locks,
    ).toEqual([]);
    expect(
      after(
        1,
        set('A', 'OK'),
        redis('A', 'EVALSHA unlock.lua 1 lockstock:setnx:{goods:1} o', 'not the owner any more'),
      )?.locks,
    ).toEqual(held?.locks);
  });

  test('a lease has ended when another buyer is granted the lock', () => {
    const state = new StoryState(1);
    const acquire = (buyer: string) =>
      redis(buyer, 'EVALSHA plain-acquire.lua 2 k k:fence owner 700', 'granted, token 1');
    state.take(acquire('A'));
    expect(state.expiredBy(acquire('B'))).toBe('A');
    expect(state.expiredBy(acquire('A'))).toBeUndefined();
  });
});

describe('an answer', () => {
  const sent = (by: string, id: number): TraceEntry => ({
    type: 'step',
    by,
    step: { actor: 'instance-1', to: 'mysql', kind: 'query', text: `${by}: UPDATE` },
    command: { id, server: 'mysql', text: 'UPDATE', values: [] },
  });
  const returned = (by: string, id: number): TraceEntry => ({ type: 'returned', by, id, value: 1 });
  const kinds = (...trace: readonly TraceEntry[]) =>
    withReplies(trace).map(({ step, answer }) => `${step.kind}${answer ? ' answered' : ''}`);

  test('belongs to its command', () => {
    expect(kinds(sent('A', 1), sent('A', 2), returned('A', 2), returned('A', 1))).toEqual([
      'query answered',
      'query answered',
    ]);
  });

  test('is a step of its own when the command waited for another buyer', () => {
    expect(kinds(sent('A', 1), sent('B', 1), returned('B', 1), returned('A', 1))).toEqual([
      'query',
      'query answered',
      'reply answered',
    ]);
  });
});

describe('the recorded experiments', () => {
  const all = readdirSync(SHIPPED_EVIDENCE)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(SHIPPED_EVIDENCE, file), 'utf8')) as Evidence);
  const lastState = ({ steps }: Evidence) => steps.findLast(({ after: state }) => state)?.after ?? {};

  test('end with what the database has, wherever the steps tell it', () => {
    const wrong = all.flatMap((evidence) => {
      const { inventory, sold } = lastState(evidence);
      const { rows, audit } = evidence;
      const found = { inventory: rows.goods['inventory'], sold: audit.sold };
      const same =
        (inventory === undefined || inventory === found.inventory) &&
        (sold === undefined || sold === found.sold);
      return same ? [] : [{ id: evidence.id, inventory, sold, found }];
    });
    expect(wrong).toEqual([]);
  });

  test('tell it of most strategies', () => {
    const told = all.filter((evidence) => lastState(evidence).inventory !== undefined);
    expect(told.length).toBeGreaterThan(all.length * 0.8);
  });

  test('have the value and the line of every command', () => {
    const commands = all.flatMap(({ id, steps }) =>
      steps.filter(({ kind, actor }) => kind === 'query' && actor !== 'lab').map((step) => ({ id, ...step })),
    );
    const withoutParameters = commands.filter(({ text }) => / \?|\(\?/.test(text));
    expect(withoutParameters).toEqual([]);
    // The redlock package withdraws votes of a failed attempt from a timer of its own.
    const unknown = commands.filter(({ source, text }) => !source && !text.includes('redlock-unlock.lua'));
    expect(unknown.map(({ id, text }) => `${id} ${text}`)).toEqual([]);
    // Only a command whose connection ended, or whose process died, has no answer here or in a later step.
    expect(commands.filter(({ answer }) => answer === undefined).length).toBeLessThan(commands.length * 0.02);
  });

  test('no buyer is left without an answer before the fault that caused it', () => {
    const early = all.filter(({ steps }) => {
      const lost = steps.findIndex(({ text }) => text.startsWith('no answer'));
      const fault = steps.findIndex(({ kind }) => kind === 'fault');
      return lost >= 0 && (fault < 0 || fault > lost);
    });
    expect(early.map(({ id }) => id)).toEqual([]);
  });
});
