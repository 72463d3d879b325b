import { pause, resume } from '../../faults/pause.js';
import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** P4: the lock is released before COMMIT, so the next holder reads the old stock. The twin releases it after COMMIT. */
const BEFORE: Experiment = {
  id: 'unlock-before-commit',
  title: 'The lock is released before COMMIT',
  claims: ['C4', 'P4'],
  strategy: 'lock-inside-transaction',
  fault: 'pause',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  run: play,
};

async function play(run: ExperimentRun) {
  const [a, b] = [run.buyer('A', 1), run.buyer('B', 2)];
  await a.runUntil(['beforeCommit']);
  await pause(run, a);
  const halt = await b.runUntil(['afterRead'], { orWaits: 'in-server' });
  if (halt === 'there') await pause(run, b);
  resume(run, a);
  const first = await a.answer();
  if (halt === 'there') resume(run, b);
  const second = await b.finish();
  run.recorder.expectOrder(
    'A beforeCommit',
    'A paused',
    ...(halt === 'there' ? ['B afterLock', 'B paused'] : ['B waits']),
    'A resumed',
    `A ${first.kind}`,
    `B ${second.kind}`,
  );
  return {
    why:
      halt === 'there'
        ? 'A had released the lock and not yet committed: B acquired it, read 1, and overwrote A’s write.'
        : 'A still held the lock: B waited until A had committed and found no stock left.',
  };
}

export const UNLOCK_BEFORE_COMMIT: readonly Experiment[] = [
  BEFORE,
  {
    ...BEFORE,
    id: 'unlock-after-commit',
    title: 'The lock is released after COMMIT',
    strategy: 'named-lock',
    twinOf: BEFORE.id,
    expected: 'SAFE',
  },
];
