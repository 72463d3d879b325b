import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INTERLEAVING_IDS, SENTENCES } from '../src/contract/claims.js';
import { EtcdServer } from '../src/lab/engines/etcd.js';
import { ZookeeperServer } from '../src/lab/engines/zookeeper.js';
import { type Evidence } from '../src/contract/evidence.js';
import { drawSequence } from '../src/diagram/svg.js';
import { EvidenceStore } from '../src/lab/evidence/evidence-store.js';
import { type Experiment } from '../src/lab/experiments/experiment.js';
import { ExperimentRunner } from '../src/lab/experiments/experiment-runner.js';
import { COLUMNS } from '../src/lab/experiments/matrix/columns.js';
import { matrixOf } from '../src/lab/experiments/matrix/matrix.js';
import { cellName } from '../src/lab/experiments/matrix/scenario.js';
import { experimentsShowing } from '../src/lab/experiments/shown-claims.js';
import { STORIES } from '../src/lab/experiments/stories/index.js';
import { SHIPPED_EVIDENCE } from '../src/lab/paths.js';
import { isHere } from './support/optional-servers.js';
import { strategyNames } from './support/strategy-files.js';

const ROW_TIMEOUT_MS = 120_000;
const installed = new Map([
  ['etcd', EtcdServer.installed],
  ['zookeeper', ZookeeperServer.installed],
]);

let folder: string;
let runner: ExperimentRunner;
/** All experiments that can run on this machine, in the order of the tests. */
let inOrder: readonly Experiment[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstock-evidence-'));
  runner = await ExperimentRunner.open(new EvidenceStore(folder));
  inOrder = [...strategyNames().filter(isHere).flatMap(rowOf), ...STORIES].filter(
    ({ missing }) => missing?.() === undefined,
  );
  await runner.prepare(inOrder);
}, 120_000);
afterAll(async () => {
  await Promise.allSettled(begun.values());
  await runner.close();
  rmSync(folder, { recursive: true });
});

/** Experiments that have begun, by name. */
const begun = new Map<string, Promise<Evidence>>();
/** This many experiments begin before their own test, so that no test bed waits for the end of a test. */
const AHEAD = 4;

function begin(experiment: Experiment): Promise<Evidence> {
  const { id } = experiment;
  const run = begun.get(id) ?? perform(experiment);
  begun.set(id, run);
  // The test that awaits it may not have begun yet.
  run.catch(() => undefined);
  return run;
}

/** The cells of a strategy. */
function rowOf(strategy: string): Experiment[] {
  const names = COLUMNS.map(({ fault }) => cellName(fault, strategy));
  return runner.experiments.filter(({ id }) => names.includes(id));
}

/** Runs experiments side by side, and begins those that the next tests need. */
function run(experiments: readonly Experiment[]): Promise<Evidence[]> {
  const runs = experiments.map(begin);
  const last = inOrder.findIndex(({ id }) => id === experiments.at(-1)?.id);
  for (const next of inOrder.slice(last + 1, last + 1 + AHEAD)) void begin(next);
  return Promise.all(runs);
}

/** The evidence in the repository, which the page shows before an experiment was run. */
const shipped = new EvidenceStore(SHIPPED_EVIDENCE).all;

/** What the message shows of an experiment that did not end as expected. */
function shown({ id, verdict, expected, why, proofs, order }: Evidence) {
  return { id, verdict, expected, why, failed: proofs.filter(({ ok }) => !ok), ...(!order.ok && { order }) };
}

/**
 * How often an experiment is recorded at most until it gives the committed bytes. Each run must end as expected; only on a
 * busy machine may a request retry once more, or another instance write an accepted order.
 */
const RECORDINGS = 3;

const recorded = (directory: string, { id }: Experiment) =>
  readFileSync(join(directory, `${id}.json`), 'utf8');

async function perform(experiment: Experiment): Promise<Evidence> {
  for (let recording = 1; ; recording += 1) {
    const evidence = await runner.perform(experiment);
    const same = recorded(folder, experiment) === recorded(SHIPPED_EVIDENCE, experiment);
    if (same || !evidence.ok || recording === RECORDINGS) return evidence;
  }
}

async function performAll(experiments: readonly Experiment[]): Promise<void> {
  const found = await run(experiments);
  expect(found.filter(({ ok }) => !ok).map(shown)).toEqual([]);
  // A difference that is intended: npx lockstock experiments NAME --record
  for (const experiment of experiments)
    expect(recorded(folder, experiment)).toBe(recorded(SHIPPED_EVIDENCE, experiment));
}

/** An experiment that cannot run on this machine is reported as not run, never as passed. */
function isPossible(name: string, missing: (() => string | undefined) | undefined): boolean {
  const why = missing?.();
  if (why !== undefined) test.todo(`${name}: not run. ${why}`);
  return why === undefined;
}

describe('the fault matrix agrees with the breaksUnder list of every strategy in both directions', () => {
  const columns = COLUMNS.filter(({ fault, missing }) => isPossible(fault, missing));

  test.each(strategyNames().filter(isHere))(
    '%s',
    async (name) => {
      const row = rowOf(name).filter(({ missing }) => missing?.() === undefined);
      expect(row.length).toBeGreaterThan(2);
      await performAll(row);
    },
    ROW_TIMEOUT_MS,
  );

  test('every fault that a strategy lists is a column that applies to it, and no cell is empty', () => {
    for (const strategy of runner.strategies) {
      const reaching = COLUMNS.filter(({ appliesTo }) => appliesTo(strategy) === true).map(
        ({ fault }) => fault,
      );
      expect([strategy.name, reaching]).toEqual([
        strategy.name,
        expect.arrayContaining([...strategy.breaksUnder]) as string[],
      ]);
    }
    const { rows } = matrixOf(runner.strategies, runner.store.all);
    const cells = rows.flatMap(({ cells }) => Object.values(cells));
    expect(cells.length).toBe(runner.strategies.length * COLUMNS.length);
    const possible = rows.filter(({ strategy }) => installed.get(strategy) ?? true);
    const run = possible.flatMap(({ cells }) => columns.map(({ fault }) => cells[fault]));
    expect(run.filter((cell) => !cell || 'notRun' in cell)).toEqual([]);
  });

  test('a fault breaks exactly the promises that the strategy declares', () => {
    const { rows } = matrixOf(runner.strategies, runner.store.all);
    for (const { strategy, cells } of rows) {
      const promises = runner.strategies.find(({ name }) => name === strategy)?.promises;
      if (!promises) throw new Error(`${strategy} is not listed`);
      const found = Object.entries(cells).flatMap(([fault, cell]) =>
        'verdict' in cell ? [{ fault, letter: cell.verdict }] : [],
      );
      const under = (letter: string) =>
        found.filter((cell) => cell.letter === letter).map(({ fault }) => fault);
      const broken = (faults: readonly string[]) =>
        found.map(({ fault }) => fault).filter((fault) => faults.includes(fault));
      expect([strategy, under('U'), under('L'), under('D')]).toEqual([
        strategy,
        broken(promises.neverOversells.unless),
        broken(promises.losesNothing.unless),
        broken(promises.sellsOnce.unless),
      ]);
    }
  });

  test('the cells of a strategy whose server is not installed are shown as not run, never as passed', () => {
    const { PATH: path } = process.env;
    Object.assign(process.env, { PATH: '', LOCKSTOCK_ONLY_PATH: '1' });
    try {
      const { rows } = matrixOf(runner.strategies, new Map());
      const cells = Object.values(rows.find(({ strategy }) => strategy === 'etcd')?.cells ?? {});
      expect(cells).toContainEqual({ notRun: expect.stringMatching(/needs etcd/) as string });
      expect(cells.filter((cell) => !('notRun' in cell || 'notApplicable' in cell))).toEqual([]);
    } finally {
      process.env['PATH'] = path;
      delete process.env['LOCKSTOCK_ONLY_PATH'];
    }
  });
});

describe('twins', () => {
  const harmless = ['SAFE', 'holds'];

  test('every twin is harmless, and belongs to an experiment that exists', () => {
    const { experiments } = runner;
    const ids = new Set(experiments.map(({ id }) => id));
    const twins = experiments.filter(({ twinOf }) => twinOf !== undefined);
    expect(twins.filter(({ twinOf = '' }) => !ids.has(twinOf))).toEqual([]);
    expect(twins.filter(({ expected }) => !harmless.includes(expected))).toEqual([]);
  });

  test('every interleaving is also shown where it does no harm', () => {
    const harmful = INTERLEAVING_IDS.filter(
      (id) => !experimentsShowing(runner.experiments, id).some(({ expected }) => harmless.includes(expected)),
    );
    expect(harmful.map((id) => SENTENCES[id])).toEqual([]);
  });

  test('every strategy that breaks under a fault is safe without it', () => {
    const broken = new Set(
      runner.experiments.filter(({ expected }) => expected === 'breaks').map(({ strategy }) => strategy),
    );
    const safe = [...broken].filter((name) => shipped.get(cellName('none', name))?.verdict === 'SAFE');
    expect(safe).toEqual([...broken]);
  });
});

describe('stories', () => {
  const stories = STORIES.filter(({ id, missing }) => isPossible(id, missing));

  test.each(stories.map((story) => [story.id, story.title, story] as const))(
    '%s (%s)',
    (_id, _title, story) => performAll([story]),
    120_000,
  );
});

test('evidence contains the code at its checkpoints, can be drawn, and contains no secret', () => {
  const id = 'pause.setnx-lua';
  const evidence = runner.store.all.get(id);
  expect(evidence?.verdict).toBe('OVERSOLD');
  expect(evidence?.steps.some(({ source }) => source?.code.includes("checkpoint('afterRead')"))).toBe(true);
  const text = readFileSync(join(folder, `${id}.json`), 'utf8');
  expect(JSON.parse(text)).toEqual(evidence);
  expect(evidence && drawSequence(evidence)).toContain('</svg>');
  expect(text).not.toMatch(/AUTH|password/i);
});

test('there is recorded evidence of every experiment, and no other', () => {
  const files = readdirSync(SHIPPED_EVIDENCE).filter((file) => file.endsWith('.json'));
  expect(files.sort()).toEqual(runner.experiments.map(({ id }) => `${id}.json`).sort());
});
