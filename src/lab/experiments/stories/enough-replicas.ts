import { failOver, promote } from '../../faults/failover.js';
import { deafen, proveDeaf, silence, type WiredPair, wiredPair } from '../../faults/held-replication.js';
import { pause } from '../../faults/pause.js';
import { type Experiment } from '../experiment.js';
import { afterForgetting } from '../matrix/scenario.js';
import { type Scene } from '../scene.js';

/** C19: a master that wants a replica counts those that speak to it, not those that hear it. */
const DEAF: Experiment = {
  id: 'min-replicas-deaf',
  title: 'min-replicas-to-write: the replica says that it is there, but hears nothing',
  claims: ['C16', 'C19'],
  strategy: 'setnx-lua',
  fault: 'failover',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  async run(scene) {
    const pair = await openShop(scene);
    deafen(scene, pair);
    const a = scene.buyer('A', 1);
    await a.runUntil(['afterRead']);
    await pause(scene, a);
    await proveDeaf(scene, pair);
    await failOver(scene, scene.stage.redis, pair.replica);
    await scene.connected(2);
    await afterForgetting(scene, a, 'B', { earlier: ['replica deaf', 'A afterRead'] });
    return {
      why: 'The replica kept in touch, so the master took A’s lock; the replica never heard of it, and gave it to B.',
    };
  },
};

const SILENT: Experiment = {
  ...DEAF,
  id: 'min-replicas-silent',
  title: 'min-replicas-to-write: the replica has been silent for too long',
  twinOf: DEAF.id,
  expected: 'SAFE',
  async run(scene) {
    const pair = await openShop(scene);
    await silence(scene, pair);
    const first = await scene.buyer('A', 1).finish();
    const refused = first.kind === 'refused' && first.type === 'engine-unavailable';
    scene.prove('the master refuses to write A’s lock', refused ? first.type : first.kind, refused);
    await promote(scene, scene.stage.redis, pair.replica);
    await scene.connected(2);
    const second = await scene.buyer('B', 2).finish();
    scene.recorder.expectOrder('replica silent', 'A refused', 'replica took over', `B ${second.kind}`);
    return {
      why: 'A master that misses its replica grants no lock, so the new master could not forget one.',
    };
  },
};

async function openShop(scene: Scene): Promise<WiredPair> {
  const pair = await wiredPair(scene);
  await scene.connected(1);
  await scene.stock(1);
  return pair;
}

export const ENOUGH_REPLICAS: readonly Experiment[] = [DEAF, SILENT];
