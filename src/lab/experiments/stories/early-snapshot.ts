import { pause, resume } from '../../faults/pause.js';
import { type Experiment } from '../experiment.js';
import { snapshotIsolationMissing } from '../../engines/missing.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** P5: the right lock, but the transaction reads the snapshot of its first SELECT. The twin acquires the lock first. */
const EARLY: Experiment = {
  id: 'early-snapshot',
  title: 'The transaction begins before the lock is acquired',
  claims: ['C4', 'P5'],
  strategy: 'early-snapshot',
  fault: 'pause',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  run: play,
};

async function play(run: ExperimentRun) {
  const a = run.buyer('A', 1);
  const b = run.buyer('B', 2);
  await a.runUntil(['beforeLock']);
  await pause(run, a);
  const sold = await b.finish();
  run.prove('B sold and released the lock', sold.kind, sold.kind === 'sold');
  resume(run, a);
  const answer = await a.answer();
  run.recorder.expectOrder(
    'A beforeLock',
    'A paused',
    'B afterLock',
    'B beforeUnlock',
    'A resumed',
    'A afterLock',
    `A ${answer.kind}`,
  );
  return {
    why:
      answer.kind === 'sold'
        ? 'A held the lock alone, but its transaction had begun before B sold: it still read 1.'
        : 'A acquired the lock before it began its transaction, so it read the stock after B’s sale.',
  };
}

/** MariaDB can refuse a write to a row that changed after the snapshot: error 1020. */
async function playIsolated(run: ExperimentRun) {
  const { testBed } = run;
  const isolate = async (on: 'ON' | 'OFF') => {
    await testBed.rows(`SET GLOBAL innodb_snapshot_isolation = ${on}`);
    // The setting applies to new connections only.
    testBed.databaseWire.reset();
    await run.connected(1, 2);
  };
  await isolate('ON');
  try {
    const conclusion = await play(run);
    const answers = run.recorder.trace.flatMap((entry) => (entry.type === 'step' ? [entry.step] : []));
    const refused = answers.find(({ kind, to }) => kind === 'answer' && to === 'A');
    run.prove('A’s write was refused', refused?.text ?? 'no answer', refused?.text === '503 busy');
    return {
      ...conclusion,
      why: 'A still read 1, but MariaDB refused its write because the row had changed since the snapshot.',
    };
  } finally {
    await isolate('OFF');
  }
}

export const EARLY_SNAPSHOT: readonly Experiment[] = [
  EARLY,
  {
    ...EARLY,
    id: 'lock-before-snapshot',
    title: 'The lock is acquired before the transaction begins',
    strategy: 'named-lock',
    twinOf: EARLY.id,
    expected: 'SAFE',
  },
  {
    ...EARLY,
    id: 'early-snapshot-isolated',
    title: 'The transaction begins too early; MariaDB checks the age of its snapshot',
    twinOf: EARLY.id,
    expected: 'SAFE',
    missing: snapshotIsolationMissing,
    run: playIsolated,
  },
];
