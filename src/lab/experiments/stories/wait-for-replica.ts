import { failOver, follow, masterWithReplica, replicaOf, severReplication } from '../../faults/failover.js';
import { pause, resume } from '../../faults/pause.js';
import { type Experiment } from '../experiment.js';
import { lockKey } from '../lock-keys.js';
import { type Scene } from '../scene.js';

const LOCK = lockKey('wait-for-replica');

/** C19: WAIT only narrows it. The replica that has the lock is not the one that takes over. */
const OTHER_PROMOTED: Experiment = {
  id: 'wait-other-promoted',
  title: 'WAIT: one replica has the lock, the other takes over',
  claims: ['C16', 'C19'],
  strategy: 'wait-for-replica',
  fault: 'failover',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  run: (scene) => play(scene, 'the promoted one'),
};

async function play(scene: Scene, cut: 'the promoted one' | 'both') {
  const { redis } = scene.stage;
  const { master, replica } = await masterWithReplica(scene);
  const other = await replicaOf(scene, master);
  await scene.connected(1);
  await scene.stock(1);
  await severReplication(scene, master, replica);
  if (cut === 'both') await severReplication(scene, master, other);
  const a = scene.buyer('A', 1);
  const halt = await a.runUntil(['afterRead']);
  if (halt === 'there') await pause(scene, a);
  const copies = await other.ask((client) => client.exists(LOCK));
  scene.prove(
    cut === 'both' ? 'no replica has a lock of A' : 'the other replica has A’s lock',
    `EXISTS ${copies}`,
    copies === (cut === 'both' ? 0 : 1),
  );
  await failOver(scene, redis, replica);
  await follow(scene, replica, other);
  await scene.connected(2);
  const second = await scene.buyer('B', 2).finish();
  if (halt === 'there') resume(scene, a);
  const first = await a.answer();
  scene.prove('B had the lock, and a replica had it too', second.kind, second.kind === 'sold');
  if (cut === 'both') {
    const refused = first.kind === 'refused' && first.type === 'engine-unavailable';
    scene.prove('A was refused because no replica had its lock', refused ? first.type : first.kind, refused);
    scene.recorder.expectOrder('link cut', 'link cut', 'A refused', 'Redis forgot', 'B sold');
    return {
      why: 'A’s lock was on the old master alone, so it did not count; the new master granted one, to B.',
    };
  }
  scene.recorder.expectOrder(
    'link cut',
    'A paused',
    'Redis forgot',
    'B sold',
    'A resumed',
    `A ${first.kind}`,
  );
  return {
    why: 'One replica had A’s lock, as WAIT had asked; the other became master, and granted it to B as well.',
  };
}

export const WAIT_FOR_REPLICA: readonly Experiment[] = [
  OTHER_PROMOTED,
  {
    ...OTHER_PROMOTED,
    id: 'wait-refused',
    title: 'WAIT: no replica has the lock, so it does not count',
    twinOf: OTHER_PROMOTED.id,
    expected: 'SAFE',
    run: (scene) => play(scene, 'both'),
  },
];
