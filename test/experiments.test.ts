import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Etcd } from '../src/lab/engines/etcd.js';
import { Zookeeper } from '../src/lab/engines/zookeeper.js';
import { type Evidence } from '../src/lab/experiments/evidence.js';
import { EvidenceStore } from '../src/lab/experiments/evidence-store.js';
import { type Experiment } from '../src/lab/experiments/experiment.js';
import { byInterleaving } from '../src/lab/experiments/interleavings.js';
import { Laboratory } from '../src/lab/experiments/laboratory.js';
import { COLUMNS } from '../src/lab/experiments/matrix/columns.js';
import { whileRedisForgets } from '../src/lab/experiments/matrix/forgetful-redis.js';
import { matrixOf } from '../src/lab/experiments/matrix/matrix.js';
import { askAgainAfterCommit } from '../src/lab/experiments/stories/commit-unanswered.js';
import { STORIES } from '../src/lab/experiments/stories/index.js';
import { evict } from '../src/lab/faults/eviction.js';
import { TcpProxy } from '../src/lab/faults/tcp-proxy.js';
import { freePort } from '../src/lab/ports.js';

const COLUMN_TIMEOUT_MS = 300_000;
const isHere = new Map([
  ['etcd', Etcd.installed],
  ['zookeeper', Zookeeper.installed],
]);

let folder: string;
let laboratory: Laboratory;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstock-evidence-'));
  laboratory = await Laboratory.open(new EvidenceStore(folder));
  await laboratory.prepare(laboratory.experiments);
}, 120_000);
afterAll(async () => {
  await laboratory.close();
  rmSync(folder, { recursive: true });
});

/** What a reader needs to see of an experiment that did not go as expected. */
function shown({ id, verdict, expected, why, proofs, order }: Evidence) {
  return { id, verdict, expected, why, failed: proofs.filter(({ ok }) => !ok), ...(!order.ok && { order }) };
}

/** Only what needs a server that is not installed may be left out, and says so. */
function canRun({ strategy, missing }: Experiment): boolean {
  const why = missing?.();
  if (why !== undefined)
    expect([strategy, why]).toEqual([expect.stringMatching(/^(etcd|zookeeper|early-snapshot)/), why]);
  return why === undefined;
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
      const found = await performAll(cells.filter(canRun));
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
    const here = rows.filter(({ strategy }) => isHere.get(strategy) ?? true);
    expect(here.flatMap(({ cells }) => Object.values(cells)).filter((cell) => 'notRun' in cell)).toEqual([]);
  });

  test('a strategy whose server is not installed has cells that say so, and never that they have passed', () => {
    const { PATH: path } = process.env;
    Object.assign(process.env, { PATH: '', LOCKSTOCK_ONLY_PATH: '1' });
    try {
      const { rows } = matrixOf(laboratory.strategies, new Map());
      const cells = Object.values(rows.find(({ strategy }) => strategy === 'etcd')?.cells ?? {});
      expect(cells).toContainEqual({ notRun: expect.stringMatching(/needs etcd/) as string });
      expect(cells.filter((cell) => !('notRun' in cell || 'notApplicable' in cell))).toEqual([]);
    } finally {
      process.env['PATH'] = path;
      delete process.env['LOCKSTOCK_ONLY_PATH'];
    }
  });
});

test('every interleaving, and every claim that needs an experiment, has one', () => {
  const { experiments } = laboratory;
  const numbers = Array.from({ length: 21 }, (_, index) => `P${index + 1}`);
  const shownBy = byInterleaving(experiments);
  expect([...shownBy.keys()]).toEqual(numbers);
  expect(numbers.filter((name) => shownBy.get(name)?.length === 0)).toEqual([]);
  const claims = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 23].map(
    (number) => `C${number}`,
  );
  const shown = new Set(experiments.flatMap((experiment) => experiment.claims));
  expect(claims.filter((claim) => !shown.has(claim))).toEqual([]);
});

test('every twin is the twin of an experiment that there is', () => {
  const ids = new Set(laboratory.experiments.map(({ id }) => id));
  const twins = laboratory.experiments.flatMap(({ twinOf }) => twinOf ?? []);
  expect(twins.filter((id) => !ids.has(id))).toEqual([]);
});

describe('stories', () => {
  test.each(STORIES.map((story) => [story.id, story.title] as const))(
    '%s (%s)',
    async (id) => {
      const story = STORIES.find((one) => one.id === id);
      if (!story) throw new Error(id);
      const [found] = await performAll([story].filter(canRun));
      expect(found?.ok === false ? shown(found) : undefined).toBeUndefined();
    },
    120_000,
  );
});

describe('an injector that misses turns the experiment red, not green', () => {
  /** The steps of an experiment on a strategy that holds; only the fault goes somewhere else. */
  async function missing(fault: string, run: Experiment['run']): Promise<Evidence> {
    const about = { title: 'A fault that hits nobody', claims: [], strategy: 'lease-seq' };
    const setting = { expected: 'holds', lease: 'short', stock: 1, instances: 3 } as const;
    const evidence = await laboratory.perform({ id: `${fault}-elsewhere`, fault, ...about, ...setting, run });
    // The strategy did hold, and yet this is no evidence for it.
    expect([evidence.verdict, evidence.ok]).toEqual(['SAFE', false]);
    return evidence;
  }

  const failed = ({ proofs }: Evidence) => proofs.filter(({ ok }) => !ok).map(({ what }) => what);

  test('eviction in a Redis that nobody uses', async () => {
    const strategy = laboratory.strategies.find(({ name }) => name === 'lease-seq');
    if (!strategy) throw new Error('no lease-seq');
    const evidence = await missing('eviction', (scene) =>
      whileRedisForgets(scene, strategy, {
        prepare: () => scene.stock(1),
        forget: async () => {
          await evict(scene, await scene.stage.redis.start());
          scene.fault('redis', 'another server evicts', 'Redis forgot');
        },
      }),
    );
    expect(failed(evidence)).toContain('Redis has thrown keys away');
  });

  test('SIGSTOP for another process than that of the holder', async () => {
    const evidence = await missing('pause', async (scene) => {
      const [a, b] = [scene.buyer('A', 1), scene.buyer('B', 2)];
      await a.runUntil(['afterRead']);
      await scene.instance(3).freeze();
      await b.finish();
      a.resume();
      await a.finish();
      scene.recorder.expectOrder('A afterRead', 'B sold');
      return { why: 'Nobody was stopped who mattered.' };
    });
    expect(failed(evidence)).toEqual([expect.stringMatching(/was stopped until now/)]);
  });

  test('a wire that leads to another port than that of the database', async () => {
    const evidence = await missing('lost-reply', async (scene) => {
      const wire = await TcpProxy.to(await freePort());
      scene.afterwards(() => wire.close());
      return askAgainAfterCommit(scene, { lost: 'answer', key: 'purchase-of-A', wire });
    });
    expect(evidence.proofs).toContainEqual(
      expect.objectContaining({
        seen: expect.stringMatching(/^the answer is lost: not within/) as string,
        ok: false,
      }),
    );
  });
});

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
