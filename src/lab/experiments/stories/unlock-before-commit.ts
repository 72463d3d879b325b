import { pause, resume } from '../../faults/pause.js';
import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** P4: the lock is given back before COMMIT, so the next holder reads the past. Its twin gives it back afterwards. */
const BEFORE: Experiment = {
  id: 'unlock-before-commit',
  title: 'The lock is given back before COMMIT',
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
  const halt = await b.runUntil(['afterRead'], { orWaits: 'in-mysql' });
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
        ? 'A had given the lock back and not yet committed: B locked, read 1, and wrote over what A committed.'
        : 'A still had the lock: B waited for it until A had committed, and found nothing left.',
  };
}

export const UNLOCK_BEFORE_COMMIT: readonly Experiment[] = [
  BEFORE,
  {
    ...BEFORE,
    id: 'unlock-after-commit',
    title: 'The lock is given back after COMMIT',
    strategy: 'named-lock',
    twinOf: BEFORE.id,
    expected: 'SAFE',
  },
];
