import { failOver, masterWithReplica, promote } from '../../faults/failover.js';
import { TcpProxy } from '../../faults/tcp-proxy.js';
import { type Node } from '../../topologies/node.js';
import { until } from '../../until.js';
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
    const { replica, wire, master } = await guardedMaster(scene);
    wire.set({ answers: 'hold' });
    scene.fault('redis', 'what the master sends to its replica is held up', 'replica deaf');
    const a = scene.buyer('A', 1);
    await a.runUntil(['afterRead']);
    await a.pause();
    const good = await goodReplicas(master);
    scene.prove('the master counts its replica', `min_slaves_good_slaves:${good}`, good === 1);
    await failOver(scene, scene.stage.redis, replica);
    await scene.connected(2);
    await afterForgetting(scene, a, 'B', ['replica deaf', 'A afterRead']);
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
    const { replica, wire, master } = await guardedMaster(scene);
    wire.set({ requests: 'hold', answers: 'hold' });
    scene.fault('redis', 'nothing passes between master and replica', 'replica silent');
    await master.ask((client) => client.config('SET', 'min-replicas-max-lag', '1'));
    await until('the master misses its replica', async () => (await goodReplicas(master)) === 0);
    const first = await scene.buyer('A', 1).finish();
    const refused = first.kind === 'refused' && first.type === 'engine-unavailable';
    scene.prove('the master refuses to write A’s lock', refused ? first.type : first.kind, refused);
    await promote(scene, scene.stage.redis, replica);
    await scene.connected(2);
    const second = await scene.buyer('B', 2).finish();
    scene.recorder.expectOrder('replica silent', 'A refused', 'replica took over', `B ${second.kind}`);
    return {
      why: 'A master that misses its replica grants no lock, so the new master could not forget one.',
    };
  },
};

/** A master that takes no writes without a replica, and the wire between the two. */
async function guardedMaster(scene: Scene): Promise<{ master: Node; replica: Node; wire: TcpProxy }> {
  const { master, replica } = await masterWithReplica(scene);
  const wire = await TcpProxy.to(master.port);
  scene.afterwards(() => wire.close());
  await replica.ask((client) => client.replicaof('127.0.0.1', wire.port));
  await master.ask((client) => client.config('SET', 'min-replicas-to-write', '1'));
  await until('the master has its replica', async () => (await goodReplicas(master)) === 1);
  await scene.connected(1);
  await scene.stock(1);
  return { master, replica, wire };
}

async function goodReplicas(master: Node): Promise<number> {
  const info = await master.ask((client) => client.info('replication'));
  return Number(/min_slaves_good_slaves:(\d+)/.exec(info)?.[1]);
}

export const ENOUGH_REPLICAS: readonly Experiment[] = [DEAF, SILENT];
