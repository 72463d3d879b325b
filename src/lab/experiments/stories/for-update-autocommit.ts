import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { GOODS } from '../../test-bed/test-bed.js';

/** P13: without BEGIN, FOR UPDATE locks for one statement only. The twin uses a transaction. */
const OUTSIDE: Experiment = {
  id: 'for-update-autocommit',
  title: 'FOR UPDATE outside a transaction',
  claims: ['C6', 'P13'],
  strategy: 'for-update-autocommit',
  fault: 'several-instances',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  run: (run) => play(run, 'free'),
};

async function play(run: ExperimentRun, row: 'free' | 'locked') {
  const a = run.buyer('A', 1);
  const b = run.buyer('B', 2);
  await a.runUntil(['afterRead']);
  const free = await run.testBed.rows('SELECT id FROM goods WHERE id = ? FOR UPDATE SKIP LOCKED', [GOODS]);
  const seen = free.length > 0 ? 'free' : 'locked';
  run.prove(`after A’s FOR UPDATE the row is ${row}`, seen, seen === row);
  const halt = await b.runUntil(['afterRead'], { orWaits: 'in-server' });
  const first = await a.finish();
  const second = await b.finish();
  run.recorder.expectOrder(
    'A afterRead',
    row === 'free' ? 'B afterRead' : 'B waits',
    `A ${first.kind}`,
    `B ${second.kind}`,
  );
  return {
    why:
      halt === 'there'
        ? 'The row lock ended with A’s SELECT, so B read the same 1.'
        : 'B waited for the row lock until A committed.',
  };
}

export const FOR_UPDATE_AUTOCOMMIT: readonly Experiment[] = [
  OUTSIDE,
  {
    ...OUTSIDE,
    id: 'for-update-in-transaction',
    title: 'FOR UPDATE inside a transaction',
    strategy: 'for-update',
    twinOf: OUTSIDE.id,
    expected: 'SAFE',
    run: (run) => play(run, 'locked'),
  },
];
