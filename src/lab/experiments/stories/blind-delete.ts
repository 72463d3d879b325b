import { type Conclusion, type Experiment } from '../experiment.js';
import { type Scene } from '../scene.js';

/** P2: a late DEL frees somebody else's lock, and a third buyer walks in. Its twin compares and deletes in one script. */
const BLIND: Experiment = {
  id: 'blind-delete',
  title: 'A late DEL frees the lock of the next holder',
  claims: ['C12', 'P2'],
  strategy: 'setnx-blind-delete',
  fault: 'pause',
  expected: 'OVERSOLD',
  lease: 'short',
  stock: 2,
  instances: 3,
  run: (scene) => play(scene, 'beforeUnlock'),
};

/** A has sold and stops before it unlocks; B holds the lock by then and has read; A unlocks; C comes. */
async function play(scene: Scene, place: 'beforeUnlock' | 'beforeDelete'): Promise<Conclusion> {
  const [a, b, c] = [scene.buyer('A', 1), scene.buyer('B', 2), scene.buyer('C', 3)];
  await a.runUntil([place]);
  await a.pause();
  await b.runUntil(['afterRead']);
  await b.pause();
  a.resume();
  await a.answer();
  const halt = await c.runUntil(['afterRead'], { orWaits: 'anywhere' });
  const inside = halt === 'there';
  scene.prove(
    'B still believes to hold the lock',
    `state ${b.at.state ?? 'gone'}, C ${halt}`,
    b.at.state === 'T',
  );
  if (inside) await c.finish();
  b.resume();
  await b.answer();
  if (!inside) await c.finish();
  scene.recorder.expectOrder(
    `A ${place}`,
    'A paused',
    'B paused',
    'A resumed',
    inside ? 'C afterRead' : 'C waits',
    'B resumed',
  );
  return {
    why: inside
      ? 'The DEL of A removed the lock of B; C locked beside B, and both sold what they had read.'
      : 'A found that the lock was no longer its own and left it alone; C had to wait for B.',
  };
}

export const BLIND_DELETE: readonly Experiment[] = [
  BLIND,
  {
    ...BLIND,
    id: 'compare-and-delete',
    title: 'Compare and delete in one script',
    strategy: 'setnx-lua',
    twinOf: BLIND.id,
    expected: 'SAFE',
  },
  {
    ...BLIND,
    id: 'compare-then-delete',
    title: 'Compare in the program, then DEL: the lock changes hands in between',
    strategy: 'setnx-check-delete',
    run: (scene) => play(scene, 'beforeDelete'),
  },
];
