import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type Node } from '../topologies/node.js';
import { until } from '../until.js';
import { masterWithReplica } from './failover.js';
import { TcpProxy } from '../tcp-proxy.js';

/** A master with min-replicas-to-write, its replica, and the proxy between them. */
export interface WiredPair {
  readonly master: Node;
  readonly replica: Node;
  readonly wire: TcpProxy;
}

export async function wiredPair(run: ExperimentRun): Promise<WiredPair> {
  const { master, replica } = await masterWithReplica(run);
  const wire = await TcpProxy.to(master.port);
  run.onClose(() => wire.close());
  await replica.ask((client) => client.replicaof('127.0.0.1', wire.port));
  await master.ask((client) => client.config('SET', 'min-replicas-to-write', '1'));
  await until('the replica is connected through the proxy', async () => (await goodReplicas(master)) === 1);
  return { master, replica, wire };
}

/** The replica still sends heartbeats, so the master counts it; but it receives no writes. */
export function deafen(run: ExperimentRun, { wire }: WiredPair): void {
  wire.set({ answers: 'hold' });
  run.fault('redis', 'the writes of the master to its replica are held back', 'replica deaf');
}

/** To be called after a write on the master. */
export async function proveDeaf(run: ExperimentRun, { master, wire }: WiredPair): Promise<void> {
  await until('a write is held back', () => Promise.resolve(wire.intercepted > 0));
  const good = await goodReplicas(master);
  run.proveFault(
    'failover',
    'the master counts a replica that receives no writes',
    `min_slaves_good_slaves:${good}, ${wire.intercepted} pieces held back`,
    good === 1 && wire.intercepted > 0,
  );
}

/** Holds both directions back until the master no longer counts its replica (min-replicas-max-lag 1). */
export async function silence(run: ExperimentRun, { master, wire }: WiredPair): Promise<void> {
  wire.set({ requests: 'hold', answers: 'hold' });
  run.fault('redis', 'nothing passes between master and replica', 'replica silent');
  await master.ask((client) => client.config('SET', 'min-replicas-max-lag', '1'));
  await until('the master does not count its replica', async () => (await goodReplicas(master)) === 0);
  const good = await goodReplicas(master);
  run.proveFault(
    'failover',
    'the master does not count its replica',
    `min_slaves_good_slaves:${good}`,
    good === 0,
  );
}

/** Replicas with a recent heartbeat. */
async function goodReplicas(master: Node): Promise<number> {
  const info = await master.ask((client) => client.info('replication'));
  return Number(/min_slaves_good_slaves:(\d+)/.exec(info)?.[1]);
}
