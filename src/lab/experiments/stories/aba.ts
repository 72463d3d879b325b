import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { GOODS } from '../../test-bed/test-bed.js';
import { cancelOrder } from './cancel-order.js';

/**
 * P20: the stock changes and changes back while A is between its read and its write. The sum is still right, because A
 * subtracts from an equal stock. The experiment shows that A's write did not notice the two orders in between.
 */
const RETURNED: Experiment = {
  id: 'aba',
  title: 'A sale and a return: the stock looks unchanged',
  claims: ['C7', 'P20'],
  strategy: 'cas-value',
  fault: 'concurrency',
  expected: 'SAFE',
  lease: 'long',
  stock: 11,
  run: (run) => playReturn(run, 'unnoticed'),
};

/** The same with harm: the equal stock belongs to a new run, and A's order is written under the run that has ended. */
const NEW_RUN: Experiment = {
  ...RETURNED,
  id: 'aba-new-run',
  title: 'A new run with the same stock',
  expected: 'UNMATCHED',
  stock: 10,
  run: playNewRun,
};

async function playReturn(run: ExperimentRun, change: 'unnoticed' | 'noticed') {
  const c = await run.buyer('C', 2).finish();
  const a = run.buyer('A', 1);
  await a.runUntil(['afterRead']);
  const read = await rowOf(run);
  await run.buyer('B', 2).finish();
  if (c.kind === 'sold') await cancelOrder(run, 'C', c);
  const found = await rowOf(run);
  run.prove('the stock equals what A read', `${found.inventory}`, found.inventory === read.inventory);
  run.prove(
    'two orders were written in between',
    `version +${found.version - read.version}`,
    found.version === read.version + 2,
  );
  await a.finish();
  const [order] = (await run.testBed.rows('SELECT attempts FROM orders WHERE id = ?', [a.receipt])) as {
    attempts: number;
  }[];
  const attempts = order?.attempts ?? 0;
  run.prove(
    `A’s write ${change === 'noticed' ? 'noticed' : 'did not notice'} them`,
    `${attempts} attempts`,
    change === 'noticed' ? attempts > 1 : attempts === 1,
  );
  run.recorder.expectOrder('C sold', 'A afterRead', 'B sold', 'C cancelled', 'A sold');
  return {
    why:
      change === 'noticed'
        ? 'The version had changed, so A’s first write was refused and A read again.'
        : 'The stock was 10 again, so A’s write succeeded as if nothing had happened. The sum is right here; aba-new-run shows where it is not.',
  };
}

async function playNewRun(run: ExperimentRun) {
  const a = run.buyer('A', 1);
  await a.runUntil(['afterRead']);
  const read = await rowOf(run);
  await run.testBed.reset(run.instance(2), 10, run.strategy);
  run.fault('mysql', 'a new run begins with the same stock', 'new run');
  const found = await rowOf(run);
  run.prove('the stock equals what A read', `${found.inventory}`, found.inventory === read.inventory);
  run.prove(
    'it is the stock of another run',
    `run ${read.runId}, now ${found.runId}`,
    found.runId !== read.runId,
  );
  await a.finish();
  run.recorder.expectOrder('A afterRead', 'new run', 'A sold');
  return { why: 'The version had changed, so A read again and bought from the new run.' };
}

async function rowOf({ testBed }: ExperimentRun) {
  const [row] = await testBed.rows('SELECT inventory, version, run_id AS runId FROM goods WHERE id = ?', [
    GOODS,
  ]);
  return row as { inventory: number; version: number; runId: number };
}

export const ABA: readonly Experiment[] = [
  RETURNED,
  {
    ...RETURNED,
    id: 'aba-version',
    title: 'A sale and a return: the version changes',
    strategy: 'cas-version',
    twinOf: RETURNED.id,
    run: (run) => playReturn(run, 'noticed'),
  },
  NEW_RUN,
  {
    ...NEW_RUN,
    id: 'aba-new-run-version',
    title: 'A new run with the same stock: the version changes',
    strategy: 'cas-version',
    twinOf: NEW_RUN.id,
    expected: 'SAFE',
  },
];
