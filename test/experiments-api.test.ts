import { type Evidence, type Step } from '../src/contract/evidence.js';
import { type ReturnedAnswer } from '../src/contract/lab-experiments.js';
import { type Matrix } from '../src/contract/matrix.js';
import { LabApi } from '../src/lab/api/lab-api.js';
import { freePort } from '../src/lab/ports.js';
import { readEvents } from './support/events.js';
import { TestShop } from './support/test-shop.js';

const ID = 'concurrency.no-lock';

let shop: TestShop;
let api: LabApi;
const reported: string[] = [];

beforeAll(async () => {
  const port = await freePort();
  shop = await TestShop.open({ instances: 1, labPort: port });
  api = await LabApi.start({
    folder: shop.folder,
    addresses: shop.servers,
    engines: [],
    shop: shop.shop,
    database: shop.database,
    port,
    report: (message) => reported.push(message),
  });
});
afterAll(async () => {
  await api.stop();
  await shop.close();
  expect(reported).toEqual([]);
});

interface Listed {
  readonly id: string;
  readonly expected: string;
  readonly last?: { readonly ok: boolean; readonly verdict: string };
}

test('the experiments and the matrix can be read before an experiment was run', async () => {
  const listed = await shop.get<Listed[]>('/lab/experiments');
  expect(listed.find(({ id }) => id === ID)).toMatchObject({ expected: 'breaks' });
  const { faults, rows } = await shop.get<Matrix>('/lab/matrix');
  expect(faults.map(({ id }) => id)).toContain('pause');
  expect(rows.map(({ strategy }) => strategy)).toContain('no-lock');
});

test('an unknown experiment is 404, and no experiment is run without the token', async () => {
  const unknown = await fetch(`${shop.url}/lab/experiments/no-such.thing`);
  expect([unknown.status, ((await unknown.json()) as { type: string }).type]).toEqual([
    404,
    'unknown-experiment',
  ]);
  const stranger = await shop.post(`/lab/experiments/${ID}/runs`, {}, { authorization: 'Bearer wrong' });
  expect(stranger.status).toBe(401);
  const odd = await shop.post(`/lab/experiments/${ID}/runs`, { port: 3306 });
  expect(odd.status).toBe(400);
});

/** The text of a step without counted values. */
const shape = ({ text }: Step) => text.replace(/<\w+>|\b\d+\b|'[^']*'/g, '#');

test('one experiment is run at a time, its events are streamed, and its evidence is kept', async () => {
  expect((await shop.post(`/lab/experiments/${ID}/runs`, {})).status).toBe(202);
  const second = await shop.post('/lab/experiments/none.no-lock/runs', {});
  expect([second.status, await second.json()]).toMatchObject([409, { type: 'run-in-progress', id: ID }]);
  const events = await readEvents(`${shop.url}/lab/experiments/${ID}/stream`);
  const steps = events.filter(({ name }) => name === 'step').map(({ data }) => data as Step);
  expect(steps.map(({ text }) => text)).toContain('A afterRead');
  expect(events.at(-1)).toMatchObject({ name: 'end', data: { ok: true, verdict: 'OVERSOLD' } });
  const evidence = await shop.get<Evidence>(`/lab/experiments/${ID}`);
  expect(evidence).toMatchObject({ id: ID, ok: true, verdict: 'OVERSOLD', audit: { sold: 2, initial: 1 } });
  // Recorded evidence has no times, fewer commands, and names for counted values: see src/lab/evidence.
  expect(steps.map(shape)).toEqual(expect.arrayContaining(evidence.steps.map(shape)));
  const answers = events.filter(({ name }) => name === 'returned').map(({ data }) => data as ReturnedAnswer);
  const read = answers.find(({ step }) => steps[step]?.text.startsWith('A: SELECT inventory, version'));
  expect(read?.answer).toMatch(/^inventory 1, version \d+/);
}, 120_000);
