import { type RedisPlace } from '../experiments/redis-place.js';
import { type Scene } from '../experiments/scene.js';
import { freePort } from '../ports.js';
import { type Node } from '../topologies/node.js';
import { until } from '../until.js';

const WAIT_MS = 100;

/** A replica of the master that has all that the master has. */
export async function replicaOf(redis: RedisPlace, master: Node, settings: readonly string[]): Promise<Node> {
  const replica = await redis.start([...settings, `replicaof 127.0.0.1 ${master.port}`]);
  await until('the replica is in step', async () => {
    const info = await replica.ask((client) => client.info('replication'));
    return info.includes('master_link_status:up');
  });
  return replica;
}

/**
 * From here on the replica hears nothing more. It is told to follow a port where nobody listens: stopping its process
 * would lose nothing, because what the master sends would wait in its socket.
 */
export async function severReplication(scene: Scene, master: Node, replica: Node): Promise<void> {
  const reached = await master.ask((client) => client.wait(1, WAIT_MS * 10));
  scene.prove('the replica has followed so far', `WAIT 1 = ${reached}`, reached === 1);
  const nowhere = await freePort();
  await replica.ask((client) => client.replicaof('127.0.0.1', nowhere));
  await until('the master has lost its replica', async () => {
    const info = await master.ask((client) => client.info('replication'));
    return info.includes('connected_slaves:0');
  });
  scene.fault('redis', `the link between ${master.name} and ${replica.name} is cut`, 'link cut');
}

/** The master dies and the replica takes its place, and its address. */
export async function failOver(scene: Scene, redis: RedisPlace, replica: Node): Promise<void> {
  const master = redis.node;
  const reached = await master.ask(async (client) => {
    await client.set('lockstock:witness', '1');
    return client.wait(1, WAIT_MS);
  });
  scene.prove('no replica has the last writes', `WAIT 1 = ${reached}`, reached === 0);
  await master.kill();
  scene.prove('the master is dead', master.running ? 'it runs' : 'gone', !master.running);
  await replica.ask((client) => client.replicaof('NO', 'ONE'));
  const [role] = await replica.ask((client) => client.role());
  scene.prove('the replica is master', `role ${String(role)}`, role === 'master');
  const witness = await replica.ask((client) => client.exists('lockstock:witness'));
  scene.prove('the new master never saw them', `EXISTS witness = ${witness}`, witness === 0);
  redis.use(replica);
  scene.fault('redis', `${master.name} is killed, ${replica.name} takes over`, 'Redis forgot');
}
