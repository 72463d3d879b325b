import { type Experiment } from '../experiment.js';
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
  await a.pause();
  const sold = await b.finish();
  scene.prove('B has sold, and given the lock back', sold.kind, sold.kind === 'sold');
  a.resume();
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
];
