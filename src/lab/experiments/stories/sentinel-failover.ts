import { type Conclusion, type Experiment } from '../experiment.js';
import { type Scene } from '../scene.js';
import { GOODS, LEASES } from '../stage.js';

const REACH_MS = 100;

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
  run: (scene) => play(scene, `lockstock:setnx:{goods:${GOODS}}`),
};

async function play(scene: Scene, lock: string): Promise<Conclusion> {
  const { topology, players } = await scene.stage.sentinel();
  scene.afterwards(() => topology.stop());
  scene.replaceInstances(players);
  await scene.connected(1, 2);
  await scene.stock(1);
  const master = await topology.master();
  scene.recorder.meet({ id: 'redis', kind: 'redis', label: 'Redis by Sentinel' });
  await topology.sever();
  scene.fault('redis', `${master.name} may not replicate any more`, 'link cut');
  const a = scene.buyer('A', 1);
  await a.runUntil(['afterRead']);
  await a.pause();
  const [held, reached] = await master.ask(async (client) => {
    const exists = await client.exists(lock);
    await client.set('lockstock:witness', '1');
    return [exists, await client.wait(1, REACH_MS)];
  });
  scene.prove(
    'A has the lock, and the master alone knows it',
    `EXISTS ${held}, WAIT ${reached}`,
    held === 1 && reached === 0,
  );
  const died = performance.now();
  await topology.killMaster();
  scene.fault('redis', `${master.name} is killed`, 'master killed');
  const next = await topology.newMaster(master);
  const seconds = ((performance.now() - died) / 1000).toFixed(1);
  const told = await topology.told();
  scene.fault('redis', `the Sentinels have promoted ${next.name} after ${seconds} s`, 'Sentinel promoted');
  scene.prove(
    'the Sentinels name another master',
    `get-master-addr-by-name ${master.port}, then ${told}`,
    told === next.port && told !== master.port,
  );
  const known = await next.ask((client) => client.exists(lock));
  scene.prove('it never heard of the lock', `EXISTS ${known}`, known === 0);
  scene.prove(
    'A’s lease had not ended',
    `${seconds} s of ${LEASES.long / 1000} s`,
    performance.now() - died < LEASES.long,
  );
  await scene.connected(2);
  const second = await scene.buyer('B', 2).finish();
  a.resume();
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
    run: (scene) => play(scene, `lockstock:lock:fenced:{goods:${GOODS}}`),
  },
];
