import { type SessionView } from '../src/contract/lab-sessions.js';
import { type Problem } from '../src/contract/problem.js';
import { LabServer } from '../src/lab/api/server.js';
import { sessionRoutes } from '../src/lab/api/sessions/routes.js';
import { Sessions } from '../src/lab/api/sessions/sessions.js';
import { Explorer } from '../src/lab/explorer/explorer.js';
import { withoutRandom } from '../src/lab/explorer/polling.js';
import { type Session } from '../src/lab/explorer/session.js';
import { Servers } from '../src/lab/servers.js';
import { CheckpointServer } from '../src/lab/test-bed/checkpoint-server.js';
import { RedisEndpoint } from '../src/lab/test-bed/redis-endpoint.js';
import { TestBed } from '../src/lab/test-bed/test-bed.js';
import { readEvents } from './support/events.js';
import { eventually } from './support/eventually.js';

/** The client of the API, or the caller of a session, is the scheduler. */
const TOKEN = 'the-token-of-the-session-test';
let explorer: Explorer;
let sessions: Sessions;
let server: LabServer;

beforeAll(async () => {
  const report = (message: string) => {
    throw new Error(message);
  };
  explorer = await Explorer.open(2, 1);
  sessions = new Sessions(() => Promise.resolve(explorer.strategies), report);
  server = await LabServer.start({ port: 0, adminToken: TOKEN, report, routes: sessionRoutes(sessions) });
}, 120_000);
afterAll(async () => {
  await sessions.closeAll();
  await server.stop();
  await explorer.close();
});

async function post(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; answer: SessionView & Problem }> {
  const response = await fetch(`${server.url}/lab/sessions${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, answer: (await response.json()) as SessionView & Problem };
}
const read = async (id: string) =>
  (await (await fetch(`${server.url}/lab/sessions/${id}`)).json()) as SessionView;

describe('the API', () => {
  test('drives no-lock to OVERSOLD, undoes moves, and ends', async () => {
    const { status, answer: opened } = await post('', { strategy: 'no-lock' });
    const { id } = opened;
    expect([status, opened]).toMatchObject([
      201,
      { state: 'starting', config: { strategy: 'no-lock', buyers: 2, stock: 1 } },
    ]);
    const early = await post(`/${id}/moves`, { move: 'A' });
    expect([early.status, early.answer.type]).toEqual([409, 'session-busy']);
    const streamed = readEvents(`${server.url}/lab/sessions/${id}/stream`);
    await eventually('the session is ready', async () => (await read(id)).state === 'ready', 120_000);

    const first = (await read(id)).situation;
    expect(first).toMatchObject({ stock: { inventory: 1, orders: 0 }, steps: [], schedule: '' });
    expect(first?.moves.filter(({ kind }) => kind === 'step')).toMatchObject([
      { id: 'A', kind: 'step', buyer: 'A', server: 'mysql', text: 'START TRANSACTION' },
      { id: 'B', kind: 'step', buyer: 'B', server: 'mysql', text: 'START TRANSACTION' },
    ]);

    // The least schedule that breaks it, with one detour that is undone.
    for (const move of ['A', 'A', 'B', 'B', 'B', 'B', 'B', 'B'])
      expect((await post(`/${id}/moves`, { move })).status).toBe(200);
    const sold = (await read(id)).situation;
    expect(sold).toMatchObject({ stock: { inventory: 0, orders: 1 }, schedule: 'A2 B6' });
    expect(sold?.steps[1]).toMatchObject({
      returned: [{ inventory: 1 }],
      source: { file: 'src/stock/stock.ts' },
    });
    expect(sold?.buyers).toMatchObject([{ doing: 'held' }, { doing: 'ended', told: 'sold, 0 left' }]);
    const undone = (await post(`/${id}/undo`, { moves: 3 })).answer.situation;
    expect(undone).toMatchObject({ stock: { inventory: 1, orders: 0 }, schedule: 'A2 B3' });
    const outdated = await post(`/${id}/moves`, { move: 'B', after: 7 });
    expect([outdated.status, outdated.answer.type]).toEqual([409, 'move-not-possible']);
    await post(`/${id}/moves`, { move: 'B', after: 5 });
    await post(`/${id}/moves`, { move: 'B' });
    let view = (await post(`/${id}/moves`, { move: 'B' })).answer;
    while (!view.situation?.outcome) view = (await post(`/${id}/moves`, { move: 'A' })).answer;
    expect(view.situation).toMatchObject({
      moves: [],
      schedule: 'A2 B6 A4',
      outcome: { verdict: 'OVERSOLD', initial: 1, sold: 2, told: { A: 'sold', B: 'sold' } },
    });

    const over = await post(`/${id}/moves`, { move: 'A' });
    expect([over.status, over.answer]).toMatchObject([
      409,
      { type: 'move-not-possible', moves: [], detail: expect.stringContaining('OVERSOLD') as string },
    ]);
    const closed = await post(`/${id}/close`, {});
    expect(closed.answer).toMatchObject({ state: 'closed', reason: 'It was closed by a client.' });
    const late = await post(`/${id}/undo`, {});
    expect([late.status, late.answer.type]).toEqual([409, 'session-closed']);
    const events = await streamed;
    expect(events.at(-1)).toMatchObject({ name: 'end', data: { id, state: 'closed' } });
    expect(events.filter(({ name }) => name === 'session').length).toBeGreaterThan(3);
  });

  test.each<[string, string, unknown, Record<string, string>, number, string]>([
    ['no token', '', { strategy: 'no-lock' }, { authorization: '' }, 401, 'unauthorized'],
    [
      'a page of another site',
      '',
      { strategy: 'no-lock' },
      { origin: 'http://evil.example' },
      403,
      'forbidden',
    ],
    ['no body', '', '', {}, 400, 'invalid-request'],
    ['an unknown strategy', '', { strategy: 'wishful' }, {}, 400, 'invalid-request'],
    ['a path as strategy', '', { strategy: '../no-lock' }, {}, 400, 'invalid-request'],
    ['__proto__ as strategy', '', { strategy: '__proto__' }, {}, 400, 'invalid-request'],
    ['four buyers', '', { strategy: 'no-lock', buyers: 4 }, {}, 400, 'invalid-request'],
    ['more instances than buyers', '', { strategy: 'no-lock', instances: 3 }, {}, 400, 'invalid-request'],
    ['no stock', '', { strategy: 'no-lock', stock: 0 }, {}, 400, 'invalid-request'],
    ['an unknown field', '', { strategy: 'no-lock', token: 'x' }, {}, 400, 'invalid-request'],
    ['no such session', '/deadbeef/moves', { move: 'A' }, {}, 404, 'unknown-session'],
    ['another path as session', '/..%2Fruns/moves', { move: 'A' }, {}, 404, 'about:blank'],
    ['a number as move', '/deadbeef/moves', { move: 1 }, {}, 400, 'invalid-request'],
    ['a long move', '/deadbeef/moves', { move: 'A'.repeat(500) }, {}, 400, 'invalid-request'],
    ['several moves', '/deadbeef/moves', { move: 'A B' }, {}, 400, 'invalid-request'],
    ['a negative undo', '/deadbeef/undo', { moves: -1 }, {}, 400, 'invalid-request'],
  ])('refuses %s', async (_, path, body, headers, status, type) => {
    const refused = await post(path, body, headers);
    expect([refused.status, refused.answer.type]).toEqual([status, type]);
    expect(await (await fetch(`${server.url}/lab/sessions`)).json()).toHaveLength(1);
  });
});

describe('a session', () => {
  let session: Session | undefined;
  afterEach(() => session?.close());

  const begin = async (name: string, instances = 2) => {
    const plan = { buyers: 2, instances, stock: 1, faults: 'any', allCommands: false } as const;
    session = await explorer.session({ ...plan, strategy: explorer.named(name) });
    return session;
  };
  const doing = (of: Session) => of.situation.buyers.map(({ doing }) => doing);

  test('drives sql-atomic to SAFE, and shows who waits for a row lock', async () => {
    const driven = await begin('sql-atomic');
    await driven.move('A');
    await driven.move('A');
    await driven.move('B');
    await driven.move('B');
    // A has changed the row and has not committed.
    expect(doing(driven)).toEqual(['held', 'blocked']);
    expect(driven.situation.buyers[1]?.waitsFor).toMatchObject([
      { server: 'mysql', text: expect.stringMatching(/^UPDATE/) as string },
    ]);
    await expect(driven.move('B')).rejects.toThrow('B cannot continue: its command waits for a lock');
    await expect(driven.move('Z')).rejects.toThrow('"Z" is not a possible move. Possible moves: A,');
    await expect(driven.undo(9)).rejects.toThrow('There are no 9 moves to undo; 4 were made');
    while (doing(driven)[1] === 'blocked') await driven.move('A');
    const answered = driven.situation.steps.at(-1)?.alsoAnswered;
    expect(answered).toMatchObject([{ actor: 'B', text: expect.stringMatching(/^UPDATE/) as string }]);
    while (driven.situation.moves.length > 0) await driven.move(driven.situation.moves[0]?.id ?? '');
    expect(driven.situation.outcome).toMatchObject({
      verdict: 'SAFE',
      sold: 1,
      told: { A: 'sold', B: 'sold-out' },
    });
  });

  test('breaks setnx-lua by the end of a lease, and repeats the moves when their requests were held too long', async () => {
    const driven = await begin('setnx-lua');
    const until = async (buyer: string, text: RegExp) => {
      for (;;) {
        const next = driven.situation.moves.find(({ id }) => id === buyer);
        if (!next || text.test(next.text)) return;
        await driven.move(buyer);
      }
    };
    await until('A', /^UPDATE goods/);
    expect(driven.situation.stock.locks).toMatchObject([{ owner: 'A' }]);
    await driven.move('expire A');
    expect(driven.situation.stock.locks).toEqual([]);
    const told = ({ text }: { text: string }) => withoutRandom(text);
    const before = driven.situation;
    await driven.forgetHeld();
    await until('B', /never/);
    expect(driven.situation.steps.slice(0, before.steps.length).map(told)).toEqual(before.steps.map(told));
    expect(driven.situation.buyers[1]).toMatchObject({ doing: 'ended', told: 'sold, 0 left' });
    await until('A', /never/);
    expect(driven.situation.outcome).toMatchObject({ verdict: 'OVERSOLD', sold: 2 });
    expect(driven.situation.schedule).toContain('expire:A');
  });

  test('kills a buyer before COMMIT, refuses a second fault, and undoes the crash', async () => {
    const driven = await begin('sql-atomic');
    await expect(driven.move('expire A')).rejects.toThrow('the buyer has no lease that can end');
    await driven.move('A');
    await driven.move('A');
    await driven.move('crash A');
    expect(driven.situation.buyers[0]).toMatchObject({
      doing: 'ended',
      told: expect.stringContaining('no answer') as string,
    });
    await expect(driven.move('crash B')).rejects.toThrow('this one had it already (crash A)');
    while (driven.situation.moves.length > 0) await driven.move('B');
    expect(driven.situation.outcome).toMatchObject({ finding: 'SAFE', told: { A: 'unknown', B: 'sold' } });
    const moves = driven.situation.steps.length;
    await driven.undo(moves - 2);
    expect(driven.situation).toMatchObject({ schedule: 'A2', stock: { inventory: 1, orders: 0 } });
    expect(doing(driven)).toEqual(['held', 'held']);
  });

  test('asks another instance for the verdict when the only one of the run was killed', async () => {
    const driven = await begin('sql-atomic', 1);
    await driven.move('A');
    await driven.move('A');
    await driven.move('crash A');
    expect(driven.situation.outcome).toMatchObject({ finding: 'SAFE', told: { A: 'unknown', B: 'unknown' } });
  });
});

test('what was opened is closed when an explorer or a session cannot begin', async () => {
  const closed = jest.spyOn(TestBed.prototype, 'close');
  // No instance can say which strategies there are.
  await expect(Explorer.open(0)).rejects.toThrow();
  expect(closed).toHaveBeenCalledTimes(1);

  const ended = [jest.spyOn(Servers.prototype, 'stop'), jest.spyOn(RedisEndpoint.prototype, 'close')];
  for (const spy of ended) spy.mockClear();
  jest.spyOn(CheckpointServer, 'open').mockRejectedValueOnce(new Error('No port is free.'));
  await expect(Explorer.open(1)).rejects.toThrow('No port is free.');
  for (const spy of ended) expect(spy).toHaveBeenCalledTimes(1);

  const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  const before = sockets();
  const strategy = { ...explorer.named('no-lock'), name: 'wishful' };
  const plan = { buyers: 2, instances: 2, stock: 1, faults: 'none', allCommands: false, strategy } as const;
  await expect(explorer.session(plan)).rejects.toThrow('There is no strategy "wishful"');
  await eventually('its connections are closed', () => sockets() <= before);
});
