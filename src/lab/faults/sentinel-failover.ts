import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type Node } from '../topologies/node.js';
import { REPLICATION_ACCOUNT, type SentinelTopology } from '../topologies/sentinel.js';
import { until } from '../until.js';
import { WITNESS } from './failover.js';
import { killServer } from './kill.js';

/** Timeouts of WAIT: for no replica, and for a connected one, with plenty of time. */
const REACH_MS = { alone: 100, connected: 2000 } as const;

/**
 * Stops the replication of the master by disabling its account. Making the replicas follow another server would not
 * last: a Sentinel would reconfigure them.
 */
export async function forbidReplication(run: ExperimentRun, master: Node): Promise<void> {
  await master.ask(async (client) => {
    await client.call('ACL', 'SETUSER', REPLICATION_ACCOUNT, 'off');
    await client.call('CLIENT', 'KILL', 'TYPE', 'replica');
  });
  await until('the master has no replicas', async () => {
    const info = await master.ask((client) => client.info('replication'));
    return info.includes('connected_slaves:0');
  });
  run.fault('redis', `${master.name} stops replicating`, 'link cut');
}

/** Proves that the key is on the master and that its writes reach no replica. */
export async function proveAlone(run: ExperimentRun, master: Node, key: string): Promise<void> {
  const [held, reached] = await master.ask(async (client) => {
    const exists = await client.exists(key);
    await client.set(WITNESS, '1');
    const alone = (await client.info('replication')).includes('connected_slaves:0');
    return [exists, await client.wait(1, alone ? REACH_MS.alone : REACH_MS.connected)];
  });
  run.proveFault(
    'failover',
    'A’s lock is on the master alone',
    `EXISTS ${held}, WAIT ${reached}`,
    held === 1 && reached === 0,
  );
}

/**
 * Kills the master. The Sentinels detect it, agree, and promote a replica, which does not have the key. Returns how long
 * that took.
 */
export async function letSentinelsFailOver(
  run: ExperimentRun,
  topology: SentinelTopology,
  key: string,
): Promise<number> {
  const master = await topology.master();
  const died = performance.now();
  await killServer(run, master);
  run.fault('redis', `${master.name} is killed`, 'master killed');
  const next = await topology.newMaster(master);
  const tookMs = performance.now() - died;
  const told = await topology.told();
  run.fault('redis', `the Sentinels promote ${next.name}`, 'Sentinel promoted');
  run.proveFault(
    'failover',
    'the Sentinels report another master',
    `get-master-addr-by-name: ${told === master.port ? 'the same port' : 'another port'}`,
    told === next.port && told !== master.port,
  );
  const known = await next.ask((client) => client.exists(key));
  run.proveFault('failover', 'it never received the lock', `EXISTS ${known}`, known === 0);
  return tookMs;
}
