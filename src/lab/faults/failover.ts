import { randomUUID } from 'node:crypto';
import { LAB_ACCOUNT } from '../engines/redis.js';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { freePort } from '../ports.js';
import { type Node } from '../topologies/node.js';
import { inStep } from '../topologies/topology.js';
import { until } from '../until.js';
import { killServer } from './kill.js';

const WAIT_MS = 100;
/** A key that the lab writes to see which servers a write has reached. */
export const WITNESS = 'lockstock:witness';

/** A new master with a replica without lag, behind the address of the instances. */
export async function masterWithReplica(run: ExperimentRun): Promise<{ master: Node; replica: Node }> {
  const master = await run.testBed.redis.replace(settingsOf(run));
  return { master, replica: await replicaOf(run, master) };
}

/** A new replica of the master, without lag. */
export async function replicaOf(run: ExperimentRun, master: Node): Promise<Node> {
  const following = `replicaof 127.0.0.1 ${master.port}`;
  const replica = await run.testBed.redis.start([...settingsOf(run), following]);
  await until('the replica has no lag', () => inStep(replica));
  return replica;
}

/** Makes a replica follow another master and waits until it has that master's data. */
export async function follow(run: ExperimentRun, master: Node, replica: Node): Promise<void> {
  await replica.ask((client) => client.replicaof('127.0.0.1', master.port));
  await until('the replica has no lag', () => inStep(replica));
  await until('a write of the new master reaches the replica', async () => {
    const reached = await master.ask(async (client) => {
      await client.set(WITNESS, '2');
      return client.wait(1, WAIT_MS);
    });
    return reached === 1;
  });
  run.fault('redis', `${replica.name} follows ${master.name}`, 'replica follows');
}

/** Each server can be a master. Not diskless: such a replica may acknowledge its first writes only a second later. */
function settingsOf({ testBed }: ExperimentRun): string[] {
  const { labPassword } = testBed.servers.addresses.secrets;
  return [`masteruser ${LAB_ACCOUNT}`, `masterauth ${labPassword}`, 'repl-diskless-sync no'];
}

async function replicasOf(master: Node): Promise<number> {
  const info = await master.ask((client) => client.info('replication'));
  return Number(/connected_slaves:(\d+)/.exec(info)?.[1] ?? 0);
}

/**
 * Cuts the replication link: the replica is told to follow a port without a server. Stopping its process would lose
 * nothing, because the writes would wait in its socket.
 */
export async function severReplication(
  run: ExperimentRun,
  master: Node,
  replica: Node,
  lane = 'redis',
): Promise<void> {
  const replicas = await replicasOf(master);
  const reached = await master.ask((client) => client.wait(replicas, WAIT_MS * 10));
  run.proveFault(
    'failover',
    'the replica has all writes so far',
    `WAIT ${replicas} = ${reached}`,
    replicas > 0 && reached === replicas,
  );
  const nowhere = await freePort();
  await replica.ask((client) => client.replicaof('127.0.0.1', nowhere));
  await until('the master has no replica', async () => (await replicasOf(master)) === replicas - 1);
  run.fault(lane, `the link between ${master.name} and ${replica.name} is cut`, 'link cut');
}

/** An address, the server behind it, and how another server gets behind it. */
export interface Address {
  readonly node: Node;
  /** Its lifeline in the diagram. */
  readonly lane?: string;
  use(node: Node): void | Promise<void>;
}

/** The master is killed before its replica has received the last writes; the replica takes over its address. */
export async function failOver(run: ExperimentRun, address: Address, replica: Node): Promise<void> {
  const master = address.node;
  const last = randomUUID();
  const others = await replicasOf(master);
  const reached = await master.ask(async (client) => {
    await client.set(WITNESS, last);
    // A connected replica has plenty of time to acknowledge.
    return client.wait(others + 1, others === 0 ? WAIT_MS : 10 * WAIT_MS);
  });
  const lacks = async () => (await replica.ask((client) => client.get(WITNESS))) !== last;
  const behind = await lacks();
  run.proveFault(
    'failover',
    'the replica does not have the last writes',
    `WAIT ${others + 1} = ${reached}, ${behind ? 'not' : 'also'} on the replica`,
    behind,
  );
  await promote(run, address, replica);
  const never = await lacks();
  run.proveFault(
    'failover',
    'the new master never received them',
    never ? 'an older test key' : 'the same test key',
    never,
  );
  run.recorder.event('Redis forgot');
}

/** The master is killed and the replica takes over its address with the data that it has. */
export async function promote(run: ExperimentRun, address: Address, replica: Node): Promise<void> {
  const { node: master, lane = 'redis' } = address;
  await killServer(run, master);
  await replica.ask((client) => client.replicaof('NO', 'ONE'));
  const [role] = await replica.ask((client) => client.role());
  run.proveFault('failover', 'the replica is master', `role ${String(role)}`, role === 'master');
  await address.use(replica);
  run.fault(lane, `${master.name} is killed, ${replica.name} takes over`, 'replica took over');
}
