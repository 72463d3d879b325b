import { pause, resume } from '../../faults/pause.js';
import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { proveRising } from './tokens.js';

/** P16: the lock is taken, the token comes later, and a late holder gets the larger one. Its twin mints it in the grant. */
const AFTERWARDS: Experiment = {
  id: 'token-after-acquire',
  title: 'The token is minted after the lock was taken',
  claims: ['C18', 'P16'],
  strategy: 'token-after-acquire',
  fault: 'pause',
  expected: 'OVERSOLD',
  lease: 'short',
  stock: 1,
  run: play,
};

async function play(run: ExperimentRun) {
  const a = run.buyer('A', 1);
  const b = run.buyer('B', 2);
  await a.runUntil(['afterLock']);
  await pause(run, a);
  // B gets the lock when A's lease has ended, and not before.
  await b.runUntil(['afterRead']);
  resume(run, a);
  await a.runUntil(['afterRead']);
  const second = await b.finish();
  const first = await a.finish();
  run.prove('B, who held the lock, has sold', second.kind, second.kind === 'sold');
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
        ? 'A had lost the lock before it got its token, so its token was larger than B’s, and the store let it pass.'
        : 'A’s token was as old as its lock: the store had seen a larger one and refused it.',
  };
}

export const TOKEN_AFTER_ACQUIRE: readonly Experiment[] = [
  AFTERWARDS,
  {
    ...AFTERWARDS,
    id: 'token-with-acquire',
    title: 'The grant mints the token',
    strategy: 'fencing-token',
    twinOf: AFTERWARDS.id,
    expected: 'SAFE',
  },
];
