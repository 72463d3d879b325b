import { pause, resume } from '../../faults/pause.js';
import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { lead } from '../matrix/scenario.js';
import { proveRising } from './tokens.js';

/** P16: the token is issued after the lock, so a late holder gets the larger one. The twin issues it with the lock. */
const AFTERWARDS: Experiment = {
  id: 'token-after-acquire',
  title: 'The token is issued after the lock was acquired',
  claims: ['C18', 'P16'],
  strategy: 'token-after-acquire',
  fault: 'pause',
  expected: 'OVERSOLD',
  lease: 'short',
  stock: 1,
  run: play,
};

async function play(run: ExperimentRun) {
  const a = await lead(run, 'A', 1, ['afterLock']);
  const b = run.buyer('B', 2);
  await pause(run, a);
  // B acquires the lock when A's lease has expired, and not before.
  await b.runUntil(['afterRead']);
  resume(run, a);
  await a.runUntil(['afterRead']);
  const second = await b.finish();
  const first = await a.finish();
  run.prove('B held the lock and sold', second.kind, second.kind === 'sold');
  run.recorder.expectOrder(
    'A afterLock',
    'A paused',
    'B afterLock',
    'B afterRead',
    'A resumed',
    'A afterRead',
    'B sold',
    `A ${first.kind}`,
  );
  await proveRising(run);
  return {
    why:
      first.kind === 'sold'
        ? 'A had lost the lock before it got its token, so its token was larger than B’s and the store accepted it.'
        : 'A’s token was as old as its lock: the store had accepted a larger one and refused it.',
  };
}

export const TOKEN_AFTER_ACQUIRE: readonly Experiment[] = [
  AFTERWARDS,
  {
    ...AFTERWARDS,
    id: 'token-with-acquire',
    title: 'The token is issued with the lock',
    strategy: 'fencing-token',
    twinOf: AFTERWARDS.id,
    expected: 'SAFE',
  },
];
