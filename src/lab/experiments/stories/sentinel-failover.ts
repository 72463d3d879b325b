import { pause, resume } from '../../faults/pause.js';
import { forbidReplication, letSentinelsFailOver, proveAlone } from '../../faults/sentinel-failover.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { lockKey, SETNX_LOCK } from '../lock-keys.js';
import { type Scene } from '../scene.js';
import { LEASES } from '../troupe.js';

/** C16: nobody does anything by hand. The master dies, three Sentinels notice, agree, and promote what they have. */
const PLAIN: Experiment = {
  id: 'sentinel-failover',
  title: 'Sentinel promotes a replica that never heard of the lock',
  claims: ['C16'],
  strategy: 'setnx-lua',
  fault: 'failover',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  run: (scene) => play(scene, SETNX_LOCK),
};

async function play(scene: Scene, lock: string): Promise<Conclusion> {
  const { topology, players } = await scene.stage.sentinel();
  scene.afterwards(() => topology.stop());
  scene.replaceInstances(players);
  await scene.connected(1, 2);
  await scene.stock(1);
  scene.recorder.meet({ id: 'redis', kind: 'redis', label: 'Redis by Sentinel' });
  const master = await topology.master();
  await forbidReplication(scene, master);
  const a = scene.buyer('A', 1);
  await a.runUntil(['afterRead']);
  await pause(scene, a);
  await proveAlone(scene, master, lock);
  const tookMs = await letSentinelsFailOver(scene, topology, lock);
  const seconds = (tookMs / 1000).toFixed(1);
  scene.prove('A’s lease had not ended', `${seconds} s of ${LEASES.long / 1000} s`, tookMs < LEASES.long);
  await scene.connected(2);
  const second = await scene.buyer('B', 2).finish();
  resume(scene, a);
  const first = await a.answer();
  scene.recorder.expectOrder(
    'link cut',
    'A paused',
    'master killed',
    'Sentinel promoted',
    `B ${second.kind}`,
    'A resumed',
    `A ${first.kind}`,
  );
  return {
    why:
      first.kind === 'sold'
        ? `The new master granted the lock to B as well, ${seconds} s after the old one died: both sold.`
        : 'The new master granted the lock to B as well, but the store had taken B’s token and refused A’s.',
  };
}

export const SENTINEL_FAILOVER: readonly Experiment[] = [
  PLAIN,
  {
    ...PLAIN,
    id: 'sentinel-failover-fenced',
    title: 'Sentinel promotes the wrong replica, and the store compares tokens',
    claims: ['C16', 'C18'],
    strategy: 'fencing-token',
    twinOf: PLAIN.id,
    expected: 'SAFE',
    run: (scene) => play(scene, lockKey('fenced')),
  },
];
