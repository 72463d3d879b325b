import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CLAIM_IDS, INTERLEAVING_IDS, SENTENCES, type ShownId } from '../../contract/claims.js';
import { type Evidence } from '../../contract/evidence.js';
import { type Matrix } from '../../contract/matrix.js';
import { drawSequence } from '../../diagram/svg.js';
import { declaredStrategies } from '../../strategies/support/strategy-classes.js';
import { readArguments } from '../arguments.js';
import { UsageError } from '../errors.js';
import { EvidenceStore } from '../evidence/evidence-store.js';
import { allExperiments, named } from '../experiments/catalogue.js';
import { ExperimentRunner } from '../experiments/experiment-runner.js';
import { type Experiment } from '../experiments/experiment.js';
import { matrixOf, partOf } from '../experiments/matrix/matrix.js';
import { matrixPage } from '../experiments/matrix/page.js';
import { matrixFile } from '../experiments/matrix/table.js';
import { matrixText } from '../experiments/matrix/text.js';
import { experimentsShowing } from '../experiments/shown-claims.js';
import { headline, story } from '../experiments/story.js';
import { interruption, whenAborted } from '../interruption.js';
import { requireWritableFolder } from '../output-files.js';
import { ROOT, SHIPPED_EVIDENCE } from '../paths.js';
import { terminal } from '../terminal.js';

/** `lockstock experiments`: injects faults into real servers and reports which strategies oversell. */
export async function experiments(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(
    'experiments',
    args,
    {
      list: { type: 'boolean' },
      json: { type: 'boolean' },
      story: { type: 'boolean' },
      record: { type: 'boolean' },
      out: { type: 'string' },
      draw: { type: 'string' },
    },
    true,
  );
  const declared = (await declaredStrategies()).map((strategy) => ({ ...strategy, available: true }));
  const wanted = choose(allExperiments(declared), positionals);
  if (values.list) return list(wanted);
  if (values.draw !== undefined) requireWritableFolder('draw', values.draw);
  if (values.draw !== undefined) return draw(wanted, matrixOf(declared, shipped().all), resolve(values.draw));
  if (values.record && values.out !== undefined)
    throw new UsageError('--record and --out exclude each other.');
  const folder = values.record ? SHIPPED_EVIDENCE : resolve(values.out ?? join(ROOT, 'reports/experiments'));
  requireWritableFolder('out', folder);
  const store = new EvidenceStore(folder);
  const stop = interruption();
  const stopped = whenAborted(stop);
  const runner = await terminal.step('starting servers and instances for experiments', () =>
    ExperimentRunner.open(store),
  );
  try {
    const chosen = runner.experiments.filter(({ id }) => wanted.some((one) => one.id === id));
    await Promise.race([runner.prepare(chosen), stopped]);
    const tellAll = values.story ?? positionals.length > 0;
    const found: Evidence[] = [];
    const possible = chosen.filter(canBeRun);
    // Several run at the same time; they are told in the order of the list.
    for (const [index, run] of possible.map((experiment) => timed(runner, experiment)).entries()) {
      terminal.rewrite(`${index + 1} of ${possible.length}: ${possible[index]?.id ?? ''}`);
      const ended = await Promise.race([run, stopped]);
      terminal.rewrite('');
      if (!ended) break;
      const { evidence, seconds } = ended;
      found.push(evidence);
      const took = terminal.dim(`${seconds.toFixed(1)} s`);
      if (!values.json)
        terminal.print(tellAll || !evidence.ok ? story(evidence) : `${headline(evidence)}  ${took}`);
    }
    if (values.json) terminal.print(JSON.stringify(found, null, 2));
    const matrix = publish(runner);
    const shown = partOf(
      matrix,
      chosen.map(({ id }) => id),
    );
    if (!values.json && shown.rows.length * shown.faults.length > 1) terminal.print(`\n${matrixText(shown)}`);
    return conclude(found, { possible: possible.length, wanted: chosen.length }, store.folder);
  } finally {
    await runner.close();
  }
}

function shipped(): EvidenceStore {
  return new EvidenceStore(SHIPPED_EVIDENCE);
}

interface TimedEvidence {
  readonly evidence: Evidence;
  readonly seconds: number;
}

/** Runs the experiment when a test bed is free, and measures it from then on. */
function timed(runner: ExperimentRunner, experiment: Experiment): Promise<TimedEvidence> {
  let began = performance.now();
  const begun = () => (began = performance.now());
  const run = runner
    .perform(experiment, { begun })
    .then((evidence) => ({ evidence, seconds: (performance.now() - began) / 1000 }));
  // Awaited later, or not at all after Ctrl-C.
  run.catch(() => undefined);
  return run;
}

/** Draws recorded evidence; starts no server. */
function draw(wanted: readonly Experiment[], matrix: Matrix, folder: string): number {
  const { all } = shipped();
  mkdirSync(folder, { recursive: true });
  const drawn = wanted.flatMap(({ id }) => all.get(id) ?? []);
  for (const evidence of drawn) writeFileSync(join(folder, `${evidence.id}.svg`), drawSequence(evidence));
  writeFileSync(join(folder, 'matrix.html'), matrixPage(matrix, all));
  terminal.say(`${drawn.length} sequence diagrams and matrix.html: ${folder}`);
  return 0;
}

function canBeRun({ id, missing }: Experiment): boolean {
  const why = missing?.();
  if (why !== undefined) terminal.say(`${id} is skipped: ${why}`);
  return why === undefined;
}

function choose(all: readonly Experiment[], names: readonly string[]): Experiment[] {
  if (names.length === 0) return [...all];
  const chosen = names.flatMap((name) => {
    const found = named(all, name);
    if (found.length > 0) return found;
    throw new UsageError(
      `There is no experiment ${JSON.stringify(name)}. Run \`lockstock experiments --list\` for all names.`,
    );
  });
  return [...new Set(chosen)];
}

function list(experiments: readonly Experiment[]): number {
  for (const experiment of experiments) terminal.print(listing(experiment));
  terminal.print(`\nThe claims that they show:\n${shown(experiments, CLAIM_IDS)}`);
  terminal.print(`\nThe interleavings that they show:\n${shown(experiments, INTERLEAVING_IDS)}`);
  return 0;
}

function listing({ id, title, missing }: Experiment): string {
  const why = missing?.();
  return `${id.padEnd(36)} ${title}${why ? ` (cannot run here: ${why})` : ''}`;
}

function shown(experiments: readonly Experiment[], ids: readonly ShownId[]): string {
  return ids
    .map((id) => ({ id, shownBy: experimentsShowing(experiments, id).map((one) => one.id) }))
    .filter(({ shownBy }) => shownBy.length > 0)
    .map(({ id, shownBy }) => `${id.padEnd(3)} ${SENTENCES[id]}\n    ${terminal.dim(shownBy.join(' '))}`)
    .join('\n');
}

/** The matrix of all evidence in the folder, from this run and earlier ones. */
function publish({ strategies, store }: ExperimentRunner): Matrix {
  const matrix = matrixOf(strategies, store.all);
  mkdirSync(store.folder, { recursive: true });
  writeFileSync(join(store.folder, 'matrix.md'), matrixFile(matrix));
  return matrix;
}

/** An experiment whose server is not installed does not count as a failure; an interrupted one does. */
function conclude(
  found: readonly Evidence[],
  { possible, wanted }: { readonly possible: number; readonly wanted: number },
  folder: string,
): number {
  const wrong = found.filter(({ ok }) => !ok);
  const impossible = wanted - possible;
  terminal.say(
    `${found.length} of ${wanted} experiments were run${impossible > 0 ? ` (${impossible} cannot run here)` : ''}, ` +
      `${wrong.length} did not end as expected. Evidence: ${folder}`,
  );
  for (const evidence of wrong) terminal.say(`  ${headline(evidence)}`);
  return wrong.length > 0 || found.length < possible ? 1 : 0;
}
