import { type Experiment } from '../experiment.js';
import { type Scene } from '../scene.js';
import { GOODS } from '../stage.js';

/** P13: FOR UPDATE without BEGIN locks for the length of one statement. Its twin has a transaction around it. */
const OUTSIDE: Experiment = {
  id: 'for-update-autocommit',
  title: 'FOR UPDATE outside a transaction',
  claims: ['C6', 'P13'],
  strategy: 'for-update-autocommit',
  fault: 'several-instances',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  run: (scene) => play(scene, 'free'),
};

async function play(scene: Scene, row: 'free' | 'locked') {
  const a = scene.buyer('A', 1);
  const b = scene.buyer('B', 2);
  await a.runUntil(['afterRead']);
  const free = await scene.stage.rows('SELECT id FROM goods WHERE id = ? FOR UPDATE SKIP LOCKED', [GOODS]);
  const seen = free.length > 0 ? 'free' : 'locked';
  scene.prove(`after A’s FOR UPDATE the row is ${row}`, seen, seen === row);
  const halt = await b.runUntil(['afterRead'], { orWaits: 'in-mysql' });
  const first = await a.finish();
  const second = await b.finish();
  scene.recorder.expectOrder(
    'A afterRead',
    row === 'free' ? 'B afterRead' : 'B waits',
    `A ${first.kind}`,
    `B ${second.kind}`,
  );
  return {
    why:
      halt === 'there'
        ? 'The row was free again as soon as A had read it: B read the same 1.'
        : 'B waited for the row until A had committed.',
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
    run: (scene) => play(scene, 'locked'),
  },
];
