import { type Experiment } from '../experiment.js';
import { type Scene } from '../scene.js';
import { GOODS } from '../stage.js';
import { cancelOrder } from './cancel-order.js';

/**
 * P20: the stock changes and changes back while A is between reading and writing. For a count the sum comes out right
 * all the same, so what is shown here is that A's write went through on a history that it did not know.
 */
const RETURNED: Experiment = {
  id: 'aba',
  title: 'A sale and a return: the stock looks untouched',
  claims: ['C7', 'P20'],
  strategy: 'cas-value',
  fault: 'concurrency',
  expected: 'SAFE',
  lease: 'long',
  stock: 11,
  run: (scene) => playReturn(scene, 'unnoticed'),
};

/** The same where it does harm: the equal stock is that of another run, and A's order is booked under the one that has ended. */
const NEW_RUN: Experiment = {
  ...RETURNED,
  id: 'aba-new-run',
  title: 'A new run with the same stock',
  expected: 'UNMATCHED',
  stock: 10,
  run: playNewRun,
};

async function playReturn(scene: Scene, change: 'unnoticed' | 'noticed') {
  const c = await scene.buyer('C', 2).finish();
  const a = scene.buyer('A', 1);
  await a.runUntil(['afterRead']);
  const read = await rowOf(scene);
  await scene.buyer('B', 2).finish();
  if (c.kind === 'sold') await cancelOrder(scene, 'C', c);
  const found = await rowOf(scene);
  scene.prove('the stock is what A has read', `${found.inventory}`, found.inventory === read.inventory);
  scene.prove(
    'two orders have come in between',
    `version +${found.version - read.version}`,
    found.version === read.version + 2,
  );
  await a.finish();
  const [order] = (await scene.stage.rows('SELECT attempts FROM orders WHERE id = ?', [a.receipt])) as {
    attempts: number;
  }[];
  const attempts = order?.attempts ?? 0;
  scene.prove(
    `A’s write has ${change === 'noticed' ? '' : 'not '}noticed them`,
    `${attempts} attempts`,
    change === 'noticed' ? attempts > 1 : attempts === 1,
  );
  scene.recorder.expectOrder('C sold', 'A afterRead', 'B sold', 'C cancelled', 'A sold');
  return {
    why:
      change === 'noticed'
        ? 'The version had moved, so A’s first write was refused, and A read again.'
        : 'The stock was 10 again, so A’s write went through as if nothing had happened. Counted, it comes out right; see aba-new-run for where it does not.',
  };
}

async function playNewRun(scene: Scene) {
  const a = scene.buyer('A', 1);
  await a.runUntil(['afterRead']);
  const read = await rowOf(scene);
  await scene.stage.reset(scene.instance(2), 10, scene.strategy);
  scene.fault('mysql', 'a new run begins, with the same stock', 'new run');
  const found = await rowOf(scene);
  scene.prove('the stock is what A has read', `${found.inventory}`, found.inventory === read.inventory);
  scene.prove(
    'it is the stock of another run',
    `run ${read.runId}, now ${found.runId}`,
    found.runId !== read.runId,
  );
  await a.finish();
  scene.recorder.expectOrder('A afterRead', 'new run', 'A sold');
  return { why: 'The version had moved, so A read again, and bought from the new run.' };
}

async function rowOf({ stage }: Scene) {
  const [row] = await stage.rows('SELECT inventory, version, run_id AS runId FROM goods WHERE id = ?', [
    GOODS,
  ]);
  return row as { inventory: number; version: number; runId: number };
}

export const ABA: readonly Experiment[] = [
  RETURNED,
  {
    ...RETURNED,
    id: 'aba-version',
    title: 'A sale and a return: the version tells',
    strategy: 'cas-version',
    twinOf: RETURNED.id,
    run: (scene) => playReturn(scene, 'noticed'),
  },
  NEW_RUN,
  {
    ...NEW_RUN,
    id: 'aba-new-run-version',
    title: 'A new run with the same stock: the version tells',
    strategy: 'cas-version',
    twinOf: NEW_RUN.id,
    expected: 'SAFE',
  },
];
