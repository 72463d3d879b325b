import { randomUUID } from 'node:crypto';
import { LAB_ACCOUNT } from '../engines/redis.js';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { freePort } from '../ports.js';
import { type Node } from '../topologies/node.js';
import { inStep } from '../topologies/topology.js';
import { until } from '../until.js';
import { killServer } from './kill.js';

const WAIT_MS = 100;
/** Written by the lab to see how far a write has come. */
export const WITNESS = 'lockstock:witness';

/** A new master, with a replica in step, at the address that the instances know. */
export async function masterWithReplica(run: ExperimentRun): Promise<{ master: Node; replica: Node }> {
  const master = await run.testBed.redis.replace(settingsOf(run));
  return { master, replica: await replicaOf(run, master) };
}

/** A replica of the master that has all that the master has. */
export async function replicaOf(run: ExperimentRun, master: Node): Promise<Node> {
  const following = `replicaof 127.0.0.1 ${master.port}`;
  const replica = await run.testBed.redis.start([...settingsOf(run), following]);
  await until('the replica is in step', () => inStep(replica));
  return replica;
}

/** The replica of one master becomes that of another, and has from then on what that one has. */
export async function follow(run: ExperimentRun, master: Node, replica: Node): Promise<void> {
  await replica.ask((client) => client.replicaof('127.0.0.1', master.port));
  await until('the replica is in step', () => inStep(replica));
  await until('a write of the new master reaches it', async () => {
    const reached = await master.ask(async (client) => {
      await client.set(WITNESS, '2');
      return client.wait(1, WAIT_MS);
    });
    return reached === 1;
  });
  run.fault('redis', `${replica.name} follows ${master.name}`, 'replica follows');
}

/** Each can be the master of another. A replica that is fed past the disk may count only a second later, with its next ACK. */
function settingsOf({ testBed }: ExperimentRun): string[] {
  const { labPassword } = testBed.servers.addresses.secrets;
  return [`masteruser ${LAB_ACCOUNT}`, `masterauth ${labPassword}`, 'repl-diskless-sync no'];
}

async function replicasOf(master: Node): Promise<number> {
  const info = await master.ask((client) => client.info('replication'));
  return Number(/connected_slaves:(\d+)/.exec(info)?.[1] ?? 0);
}

/**
 * From here on the replica hears nothing more. It is told to follow a port where nobody listens: stopping its process
 * would lose nothing, because what the master sends would wait in its socket.
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
    'the replica has followed so far',
    `WAIT ${replicas} = ${reached}`,
    replicas > 0 && reached === replicas,
  );
  const nowhere = await freePort();
  await replica.ask((client) => client.replicaof('127.0.0.1', nowhere));
  await until('the master has lost its replica', async () => (await replicasOf(master)) === replicas - 1);
  run.fault(lane, `the link between ${master.name} and ${replica.name} is cut`, 'link cut');
}

/** An address, who answers there, and how another can come to answer there. */
export interface Address {
  readonly node: Node;
  /** Which line of the diagram it is. */
  readonly lane?: string;
  use(node: Node): void | Promise<void>;
}

/** The master dies before its replica has heard of the last writes, and the replica takes its place, and its address. */
export async function failOver(run: ExperimentRun, address: Address, replica: Node): Promise<void> {
  const master = address.node;
  const last = randomUUID();
  const others = await replicasOf(master);
  const reached = await master.ask(async (client) => {
    await client.set(WITNESS, last);
    // A replica that is connected gets all the time it may need.
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
    'the new master never saw them',
    never ? 'another witness' : 'the same witness',
    never,
  );
  run.recorder.event('Redis forgot');
}

/** The master dies, and the replica takes its place, and its address, with whatever it has. */
export async function promote(run: ExperimentRun, address: Address, replica: Node): Promise<void> {
  const { node: master, lane = 'redis' } = address;
  await killServer(run, master);
  await replica.ask((client) => client.replicaof('NO', 'ONE'));
  const [role] = await replica.ask((client) => client.role());
  run.proveFault('failover', 'the replica is master', `role ${String(role)}`, role === 'master');
  await address.use(replica);
  run.fault(lane, `${master.name} is killed, ${replica.name} takes over`, 'replica took over');
}
