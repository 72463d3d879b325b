import { pause, resume } from '../../faults/pause.js';
import { type Experiment } from '../experiment.js';
import { snapshotIsolationMissing } from '../missing.js';
import { type Scene } from '../scene.js';

/** P5: the right lock, and a transaction that looks into the past of its first SELECT. Its twin locks first. */
const EARLY: Experiment = {
  id: 'early-snapshot',
  title: 'The transaction begins before the lock is taken',
  claims: ['C4', 'P5'],
  strategy: 'early-snapshot',
  fault: 'pause',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  run: play,
};

async function play(scene: Scene) {
  const a = scene.buyer('A', 1);
  const b = scene.buyer('B', 2);
  await a.runUntil(['beforeLock']);
  await pause(scene, a);
  const sold = await b.finish();
  scene.prove('B has sold, and given the lock back', sold.kind, sold.kind === 'sold');
  resume(scene, a);
  const answer = await a.answer();
  scene.recorder.expectOrder(
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
        ? 'A had the lock to itself, but its transaction had begun before B sold: it still read 1.'
        : 'A took the lock first and began its transaction then: it read what B had left.',
  };
}

/** The server itself can refuse a write on a row that is newer than the snapshot: error 1020. */
async function playIsolated(scene: Scene) {
  const { stage } = scene;
  const isolate = async (on: 'ON' | 'OFF') => {
    await stage.rows(`SET GLOBAL innodb_snapshot_isolation = ${on}`);
    // It is for those who connect from now on.
    stage.databaseWire.reset();
    await scene.connected(1, 2);
  };
  await isolate('ON');
  try {
    const conclusion = await play(scene);
    const [refused] = scene.recorder.steps.filter(({ kind, to }) => kind === 'answer' && to === 'A');
    scene.prove('A’s write was refused', refused?.text ?? 'no answer', refused?.text === '503 busy');
    return {
      ...conclusion,
      why: 'A still read 1, but MariaDB refused to write on a row that had changed since.',
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
    title: 'The lock is taken before the transaction begins',
    strategy: 'named-lock',
    twinOf: EARLY.id,
    expected: 'SAFE',
  },
  {
    ...EARLY,
    id: 'early-snapshot-isolated',
    title: 'The transaction begins too early, and MariaDB looks at the age of its snapshot',
    twinOf: EARLY.id,
    expected: 'SAFE',
    missing: snapshotIsolationMissing,
    run: playIsolated,
  },
];
