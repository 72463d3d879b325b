import { readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { type RunRecord, type RunSummary } from '../src/contract/lab-runs.js';
import { type SystemView } from '../src/contract/lab-system.js';
import { LabApi } from '../src/lab/api/lab-api.js';
import { freePort } from '../src/lab/ports.js';
import { readEvents } from './support/events.js';
import { eventually } from './support/eventually.js';
import { TestShop } from './support/test-shop.js';

const SMALL = { strategies: ['for-update', 'no-lock'], stock: 20, buyers: 10, requests: 60 };
const ENDLESS = { strategies: ['sql-atomic'], stock: 1_000_000, buyers: 5, requests: 1_000_000 };
let shop: TestShop;
let api: LabApi;
let port: number;

const startApi = () =>
  LabApi.start({
    folder: shop.folder,
    addresses: shop.servers,
    engines: [],
    shop: shop.shop,
    database: shop.database,
    port,
    report: (message) => {
      throw new Error(message);
    },
  });

beforeAll(async () => {
  port = await freePort();
  shop = await TestShop.open({ instances: 2, labPort: port });
  api = await startApi();
});
afterAll(async () => {
  await api.stop();
  await shop.close();
});

const start = async (config: object): Promise<string> => {
  const response = await shop.post('/lab/runs', config);
  const answer = (await response.json()) as { id: string };
  expect([response.status, answer]).toEqual([201, { id: expect.any(String) as string }]);
  return answer.id;
};
const stop = (id: string) => shop.post(`/lab/runs/${id}/stop`, {});
const record = (id: string) => shop.get<RunRecord>(`/lab/runs/${id}`);
const streamOf = (id: string) => `${shop.url}/lab/runs/${id}/stream`;

describe('a run', () => {
  test('is streamed through the gateway from its first event, and kept', async () => {
    const id = await start(SMALL);
    const events = await readEvents(streamOf(id));
    expect(events.map((event) => event.id)).toEqual(events.map((_, index) => index + 1));
    const names = events.map(({ name }) => name);
    expect(names.filter((name) => name !== 'sample')).toEqual(['result', 'result', 'end']);
    expect(names[0]).toBe('sample');
    expect(events.at(-1)?.data).toEqual({ id, state: 'done' });

    const whole = await record(id);
    expect(whole).toMatchObject({ id, state: 'done', config: SMALL });
    expect(whole.results).toMatchObject([
      {
        strategy: 'for-update',
        verdict: 'SAFE',
        kept: true,
        outcomes: { sold: 20, soldOut: 40 },
        books: { ok: true },
      },
      { strategy: 'no-lock', verdict: 'OVERSOLD', kept: true },
    ]);
    expect(whole.samples['for-update']?.at(-1)).toMatchObject({
      sold: 20,
      outcomes: { sold: 20, soldOut: 40 },
    });
    expect(events.filter(({ name }) => name === 'result').map(({ data }) => data)).toEqual(whole.results);

    const [newest] = await shop.get<RunSummary[]>('/lab/runs');
    expect(newest).toMatchObject({
      id,
      state: 'done',
      results: [{ verdict: 'SAFE' }, { verdict: 'OVERSOLD' }],
    });
    expect(newest).not.toHaveProperty('samples');

    // A later client gets the same events. A client that reconnects gets only the events that it missed.
    expect(await readEvents(streamOf(id))).toEqual(events);
    expect(await readEvents(streamOf(id), { lastEventId: 2 })).toEqual(events.slice(2));
    const after = await fetch(streamOf(id), { headers: { 'last-event-id': String(events.length) } });
    expect(after.status).toBe(204);
  });

  test('excludes other runs, can be stopped, and keeps its measurements', async () => {
    const id = await start(ENDLESS);
    await readEvents(streamOf(id), { enough: ({ name }) => name === 'sample' });
    expect(await record(id)).toMatchObject({ state: 'running' });
    const second = await shop.post('/lab/runs', SMALL);
    expect([second.status, await second.json()]).toEqual([
      409,
      expect.objectContaining({ type: 'run-in-progress', id }),
    ]);
    // A reload in the middle of the run gets the first events again, then the new ones.
    const listening = readEvents(streamOf(id));
    expect((await stop(id)).status).toBe(202);
    const events = await listening;
    expect(events[0]).toMatchObject({ id: 1, name: 'sample' });
    expect(events.at(-1)).toMatchObject({ name: 'end', data: { id, state: 'stopped' } });
    const { state, results } = await record(id);
    expect([state, results.length]).toEqual(['stopped', 1]);
    expect(results[0]).toMatchObject({ stopped: true, verdict: 'SAFE', books: { ok: true } });
    expect(results[0]?.outcomes.sold).toBeGreaterThan(0);
    const again = await stop(id);
    expect([again.status, ((await again.json()) as { type: string }).type]).toEqual([409, 'run-ended']);
  });

  test('can be limited to the first instances', async () => {
    const id = await start({ ...SMALL, strategies: ['mutex'], instances: 1 });
    await readEvents(streamOf(id));
    expect((await record(id)).results).toMatchObject([
      { verdict: 'SAFE', perInstance: { 'instance-1': 60 } },
    ]);
  });

  test('survives a restart of the lab; a run that was interrupted by it has failed', async () => {
    const id = await start(ENDLESS);
    await readEvents(streamOf(id), { enough: ({ name }) => name === 'sample' });
    // After a kill the file still says "running".
    const path = shop.folder.in('runs', `${id}.json`);
    const unfinished = readFileSync(path, 'utf8');
    await api.stop();
    const before = JSON.parse(readFileSync(path, 'utf8')) as RunRecord;
    expect(before.state).toBe('stopped');
    writeFileSync(path, unfinished);
    writeFileSync(shop.folder.in('runs', '20200101-000000-abcdef.json'), '{"half": ');
    api = await startApi();
    const [newest, ...others] = await shop.get<RunSummary[]>('/lab/runs');
    expect(newest).toMatchObject({ id, state: 'failed', error: 'The lab was stopped during the run.' });
    expect(others.map(({ state }) => state)).toEqual(['done', 'stopped', 'done']);
    expect((await readEvents(streamOf(id))).at(-1)?.data).toMatchObject({ state: 'failed' });
    const oldest = others.at(-1);
    expect(
      (await readEvents(streamOf(oldest?.id ?? ''))).filter(({ name }) => name === 'result'),
    ).toHaveLength(2);
  });
});

describe('the system', () => {
  test('lists processes and connection pools', async () => {
    const view = await shop.get<SystemView>('/lab/system');
    expect(view.instances).toEqual([
      { name: 'instance-1', pid: shop.instance(0).pid, state: 'up', restarts: 0 },
      { name: 'instance-2', pid: shop.instance(1).pid, state: 'up', restarts: 0 },
    ]);
    expect(view.engines).toMatchObject([{ name: 'nginx', state: 'up' }]);
    expect(view.pools.map(({ instance, limit }) => [instance, limit])).toEqual([
      ['instance-1', 20],
      ['instance-2', 20],
    ]);
    expect(view.streamLag).toBe(0);
  });

  test('is streamed while a client is connected, and reports that an instance crashed and restarted', async () => {
    const stateOf = (data: unknown) => (data as SystemView).instances[1];
    let killed = false;
    const events = await readEvents(`${shop.url}/lab/system/stream`, {
      enough: ({ data }) => {
        if (!killed) shop.instance(1).signal('SIGKILL');
        killed = true;
        return stateOf(data)?.restarts === 1;
      },
    });
    expect(events.length).toBeGreaterThan(1);
    expect(events.every(({ name }) => name === 'system')).toBe(true);
    expect(stateOf(events[0]?.data)).toMatchObject({ state: 'up', restarts: 0 });
    expect(stateOf(events.at(-1)?.data)).toMatchObject({
      state: 'up',
      restarts: 1,
      pid: shop.instance(1).pid,
    });
  });
});

describe('access', () => {
  const runs = '/lab/runs';
  const huge = { ...SMALL, strategies: ['x'.repeat(20_000)] };

  test.each<[string, string, unknown, Record<string, string>, number, string]>([
    ['no token', runs, SMALL, { authorization: '' }, 401, 'unauthorized'],
    ['a wrong token', runs, SMALL, { authorization: 'Bearer guess' }, 401, 'unauthorized'],
    ['another scheme', runs, SMALL, { authorization: 'Basic abc' }, 401, 'unauthorized'],
    ['a page of another site', runs, SMALL, { origin: 'http://evil.example' }, 403, 'forbidden'],
    ['a page without an address', runs, SMALL, { origin: 'null' }, 403, 'forbidden'],
    ['a form', runs, SMALL, { 'content-type': 'text/plain' }, 415, 'invalid-request'],
    ['half of JSON', runs, '{"strategies":', {}, 400, 'invalid-request'],
    ['not an object', runs, '[]', {}, 400, 'invalid-request'],
    ['nothing', runs, '', {}, 400, 'invalid-request'],
    ['null', runs, 'null', {}, 400, 'invalid-request'],
    ['too much', runs, huge, {}, 413, 'invalid-request'],
    ['an unknown field', runs, { ...SMALL, speed: 9 }, {}, 400, 'invalid-request'],
    ['__proto__', runs, `{"__proto__":{},${JSON.stringify(SMALL).slice(1)}`, {}, 400, 'invalid-request'],
    ['no strategy', runs, { ...SMALL, strategies: [] }, {}, 400, 'invalid-request'],
    [
      'five strategies',
      runs,
      { ...SMALL, strategies: ['a', 'b', 'c', 'd', 'e'] },
      {},
      400,
      'invalid-request',
    ],
    ['a strategy twice', runs, { ...SMALL, strategies: ['mutex', 'mutex'] }, {}, 400, 'invalid-request'],
    ['an unknown strategy', runs, { ...SMALL, strategies: ['wishful'] }, {}, 400, 'invalid-request'],
    ['a strategy that is a path', runs, { ...SMALL, strategies: ['../reset'] }, {}, 400, 'invalid-request'],
    ['a number as text', runs, { ...SMALL, stock: '20' }, {}, 400, 'invalid-request'],
    ['half a buyer', runs, { ...SMALL, buyers: 0.5 }, {}, 400, 'invalid-request'],
    ['nobody', runs, { ...SMALL, buyers: 0 }, {}, 400, 'invalid-request'],
    ['everybody', runs, { ...SMALL, buyers: 1001 }, {}, 400, 'invalid-request'],
    ['an endless load', runs, { ...SMALL, requests: 1e12 }, {}, 400, 'invalid-request'],
    ['more instances than there are', runs, { ...SMALL, instances: 3 }, {}, 400, 'invalid-request'],
    ['an unknown run', `${runs}/20260101-000000-abcdef/stop`, {}, {}, 404, 'unknown-run'],
    ['a run with a body', `${runs}/20260101-000000-abcdef/stop`, { now: true }, {}, 400, 'invalid-request'],
    ['a path that is none', `${runs}/..%2f..%2fsecrets/stop`, {}, {}, 404, 'about:blank'],
    ['an address that is not there', '/lab/nothing', {}, {}, 404, 'about:blank'],
    ['a question as a command', '/lab/system', {}, {}, 405, 'invalid-request'],
  ])('refuses %s', async (_, path, body, headers, status, type) => {
    const response = await shop.post(path, body, headers);
    const problem = (await response.json()) as { type: string; status: number };
    expect([response.status, problem.type, problem.status]).toEqual([status, type, status]);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(JSON.stringify(problem)).not.toMatch(/\.ts|\.js|node_modules|\/tmp/);
  });

  test.each([
    ['/lab/runs/unknown', 404],
    ['/lab/runs/unknown/stream', 404],
    ['/lab/runs/..%2f..%2fsecrets.json', 404],
    ['/lab/runs/%2e%2e', 404],
    ['/lab/runs/constructor', 404],
    ['/lab', 404],
    ['/lab/', 404],
    ['/lab/experiments/no-such', 404],
    ['/lab/experiments/<b>', 404],
    ['/lab/experiments/..', 404],
  ])('GET %s is %i', async (path, status) => {
    expect((await fetch(`${shop.url}${path}`)).status).toBe(status);
  });

  test('only the gateway’s own page may use the API: not the page of another site, and not another host name for this address', async () => {
    const ask = (headers: Record<string, string>, at = shop.url) => fetch(`${at}/lab/runs`, { headers });
    expect((await ask({ origin: shop.url })).status).toBe(200);
    expect((await ask({ origin: 'http://evil.example' })).status).toBe(403);
    expect((await ask({ origin: `${shop.url}0` })).status).toBe(403);
    expect(await rawStatus(port, 'GET /lab/runs HTTP/1.1\r\nHost: evil.example\r\n\r\n')).toBe(403);
    expect(await rawStatus(port, `GET /lab/runs HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`)).toBe(200);
    // Directly to the lab: the gateway itself normalises paths and limits bodies.
    expect(await rawStatus(port, 'GET /lab/runs/../../etc HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe(404);
    expect(await rawStatus(port, 'GET //[ HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe(400);
    const { authorization } = shop.headers;
    const head = `POST /lab/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization ?? ''}\r\n`;
    const json = 'Content-Type: application/json\r\n';
    expect(await rawStatus(port, `${head}${json}Content-Length: 99999999\r\n\r\n${'x'.repeat(20_000)}`)).toBe(
      413,
    );
  });

  test('a client that guesses the token is slowed down, and no other client is', async () => {
    const guess = (authorization: string, client: string) =>
      fetch(`${api.url}/lab/runs/20260101-000000-abcdef/stop`, {
        method: 'POST',
        headers: { ...shop.headers, authorization, 'x-forwarded-for': client },
        body: '{}',
      });
    let answer = await guess('Bearer wrong', '10.0.0.1');
    for (let guesses = 1; answer.status === 401 && guesses < 50; guesses += 1)
      answer = await guess(`Bearer wrong-${guesses}`, '10.0.0.1');
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true]);
    const { authorization = '' } = shop.headers;
    expect((await guess(authorization, '10.0.0.1')).status).toBe(429);
    expect((await guess(authorization, '10.0.0.2')).status).toBe(404);
  });

  test('a client with very many streams leaves streams for other clients', async () => {
    const listen = async (client: string, onEnd: () => void) => {
      const stop = new AbortController();
      const response = await fetch(`${api.url}/lab/system/stream`, {
        headers: { 'x-forwarded-for': client },
        signal: stop.signal,
      });
      const text = response.text().then(
        (all) => {
          onEnd();
          return all;
        },
        () => '',
      );
      return { status: response.status, text, stop };
    };
    let lost = false;
    const other = await listen('10.0.0.2', () => (lost = true));
    const ended: number[] = [];
    const greedy: Awaited<ReturnType<typeof listen>>[] = [];
    for (let index = 0; index < 120; index += 1)
      greedy.push(await listen('10.0.0.1', () => ended.push(index)));
    const late = await listen('10.0.0.3', () => undefined);
    expect([other.status, late.status, ...new Set(greedy.map(({ status }) => status))]).toEqual([
      200, 200, 200,
    ]);
    await eventually('all but the newest of the greedy client have ended', () => ended.length === 100);
    expect(ended.every((index) => index < 100)).toBe(true);
    expect(await greedy[0]?.text).toContain('The oldest stream ends: this client has 20 streams already.');
    expect(lost).toBe(false);
    for (const { stop } of [other, late, ...greedy]) stop.abort();
  });

  test('refused requests start nothing, and the next allowed request is served', async () => {
    expect((await shop.get<RunSummary[]>('/lab/runs')).every(({ state }) => state !== 'running')).toBe(true);
  });
});

/** The status line for any text that a client sends. */
function rawStatus(at: number, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(at, '127.0.0.1', () => socket.write(request));
    socket.once('error', reject);
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(answer))?.[1]));
    });
  });
}
