import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type Node } from '../topologies/node.js';
import { until } from '../until.js';
import { masterWithReplica } from './failover.js';
import { TcpProxy } from '../tcp-proxy.js';

/** A master that takes no writes without a replica, that replica, and the wire over which they speak. */
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
  await until('the replica is back, over the wire', async () => (await goodReplicas(master)) === 1);
  return { master, replica, wire };
}

/** The replica still says that it is there, and so counts; but it hears nothing. */
export function deafen(run: ExperimentRun, { wire }: WiredPair): void {
  wire.set({ answers: 'hold' });
  run.fault('redis', 'what the master sends to its replica is held up', 'replica deaf');
}

/** To be called once the master has written something. */
export async function proveDeaf(run: ExperimentRun, { master, wire }: WiredPair): Promise<void> {
  await until('something is held up', () => Promise.resolve(wire.intercepted > 0));
  const good = await goodReplicas(master);
  run.proveFault(
    'failover',
    'the master counts a replica that hears nothing',
    `min_slaves_good_slaves:${good}, ${wire.intercepted} pieces held up`,
    good === 1 && wire.intercepted > 0,
  );
}

/** Nothing passes in either direction, until the master misses its replica: it waits no longer than a second. */
export async function silence(run: ExperimentRun, { master, wire }: WiredPair): Promise<void> {
  wire.set({ requests: 'hold', answers: 'hold' });
  run.fault('redis', 'nothing passes between master and replica', 'replica silent');
  await master.ask((client) => client.config('SET', 'min-replicas-max-lag', '1'));
  await until('the master misses its replica', async () => (await goodReplicas(master)) === 0);
  const good = await goodReplicas(master);
  run.proveFault('failover', 'the master misses its replica', `min_slaves_good_slaves:${good}`, good === 0);
}

/** Those that were heard of lately. */
async function goodReplicas(master: Node): Promise<number> {
  const info = await master.ask((client) => client.info('replication'));
  return Number(/min_slaves_good_slaves:(\d+)/.exec(info)?.[1]);
}
