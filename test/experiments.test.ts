import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Evidence } from '../src/lab/experiments/evidence.js';
import { EvidenceStore } from '../src/lab/experiments/evidence-store.js';
import { type Experiment } from '../src/lab/experiments/experiment.js';
import { Laboratory } from '../src/lab/experiments/laboratory.js';
import { COLUMNS } from '../src/lab/experiments/matrix/columns.js';
import { whileRedisForgets } from '../src/lab/experiments/matrix/forgetful-redis.js';
import { matrixOf } from '../src/lab/experiments/matrix/matrix.js';
import { STORIES } from '../src/lab/experiments/stories/index.js';
import { evict } from '../src/lab/faults/eviction.js';

const COLUMN_TIMEOUT_MS = 300_000;

let folder: string;
let laboratory: Laboratory;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstock-evidence-'));
  laboratory = await Laboratory.open(new EvidenceStore(folder));
}, 120_000);
afterAll(async () => {
  await laboratory.close();
  rmSync(folder, { recursive: true });
});

/** What a reader needs to see of an experiment that did not go as expected. */
function shown({ id, verdict, expected, why, proofs, order }: Evidence) {
  return { id, verdict, expected, why, failed: proofs.filter(({ ok }) => !ok), ...(!order.ok && { order }) };
}

async function performAll(experiments: readonly Experiment[]): Promise<Evidence[]> {
  const found: Evidence[] = [];
  for (const experiment of experiments) found.push(await laboratory.perform(experiment));
  return found;
}

describe('the fault matrix, against every strategy’s own word in both directions', () => {
  test.each(COLUMNS.map(({ fault, title }) => [fault, title]))(
    '%s (%s)',
    async (fault) => {
      const cells = laboratory.experiments.filter((experiment) => experiment.id.startsWith(`${fault}.`));
      expect(cells.map(({ missing }) => missing?.()).filter(Boolean)).toEqual([]);
      const found = await performAll(cells);
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter(({ ok }) => !ok).map(shown)).toEqual([]);
    },
    COLUMN_TIMEOUT_MS,
  );

  test('every fault that a strategy names is a column, and every cell says something', () => {
    const columns = COLUMNS.map(({ fault }) => fault);
    for (const { breaksUnder } of laboratory.strategies) {
      expect(columns).toEqual(expect.arrayContaining([...breaksUnder]));
    }
    const { rows } = matrixOf(laboratory.strategies, laboratory.store.all);
    const cells = rows.flatMap(({ cells }) => Object.values(cells));
    expect(cells.length).toBe(laboratory.strategies.length * columns.length);
    expect(cells.filter((cell) => 'notRun' in cell)).toEqual([]);
  });
});

describe('stories', () => {
  test.each(STORIES.map((story) => [story.id, story.title] as const))(
    '%s (%s)',
    async (id) => {
      const story = STORIES.find((one) => one.id === id);
      if (!story) throw new Error(id);
      expect(story.missing?.()).toBeUndefined();
      const [found] = await performAll([story]);
      expect(found?.ok === false ? shown(found) : undefined).toBeUndefined();
    },
    120_000,
  );
});

test('an injector that misses its server turns the experiment red, not green', async () => {
  const strategy = laboratory.strategies.find(({ name }) => name === 'lease-seq');
  if (!strategy) throw new Error('no lease-seq');
  const experiment: Experiment = {
    id: 'eviction-elsewhere',
    title: 'Eviction in a Redis that nobody uses',
    claims: [],
    strategy: strategy.name,
    fault: 'eviction',
    expected: 'holds',
    lease: 'long',
    stock: 1,
    run: (scene) =>
      whileRedisForgets(scene, strategy, {
        prepare: () => scene.stock(1),
        forget: async () => {
          await evict(scene, await scene.stage.redis.start());
          scene.fault('redis', 'another server evicts', 'Redis forgot');
        },
      }),
  };
  const evidence = await laboratory.perform(experiment);
  // The strategy did hold, and yet this is no evidence for it.
  expect(evidence.verdict).not.toBe('OVERSOLD');
  expect(evidence.proofs.filter(({ ok }) => !ok).map(({ what }) => what)).toContain(
    'Redis has thrown keys away',
  );
  expect(evidence.ok).toBe(false);
}, 60_000);

test('evidence is kept with its drawing, names lines of the source, and tells no secret', () => {
  const id = 'pause.setnx-lua';
  const evidence = laboratory.store.all.get(id);
  expect(evidence?.verdict).toBe('OVERSOLD');
  expect(evidence?.steps.some(({ source }) => source?.code.includes("checkpoint('afterRead')"))).toBe(true);
  const text = readFileSync(join(folder, `${id}.json`), 'utf8');
  expect(JSON.parse(text)).toEqual(evidence);
  expect(readFileSync(join(folder, `${id}.svg`), 'utf8')).toContain('</svg>');
  expect(text).not.toMatch(/AUTH|password/i);
});
