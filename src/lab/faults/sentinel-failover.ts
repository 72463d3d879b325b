import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type Node } from '../topologies/node.js';
import { REPLICATION_ACCOUNT, type SentinelTopology } from '../topologies/sentinel.js';
import { until } from '../until.js';
import { WITNESS } from './failover.js';
import { killServer } from './kill.js';

/** For nobody, and for a replica that is connected, which gets all the time it may need. */
const REACH_MS = { nobody: 100, somebody: 2000 } as const;

/**
 * No replica hears anything more of the master. It could be told to follow another server instead, but a Sentinel
 * would soon correct that.
 */
export async function forbidReplication(run: ExperimentRun, master: Node): Promise<void> {
  await master.ask(async (client) => {
    await client.call('ACL', 'SETUSER', REPLICATION_ACCOUNT, 'off');
    await client.call('CLIENT', 'KILL', 'TYPE', 'replica');
  });
  await until('the master has lost its replicas', async () => {
    const info = await master.ask((client) => client.info('replication'));
    return info.includes('connected_slaves:0');
  });
  run.fault('redis', `${master.name} may not replicate any more`, 'link cut');
}

/** The key is on the master, and what is written there reaches nobody else. */
export async function proveAlone(run: ExperimentRun, master: Node, key: string): Promise<void> {
  const [held, reached] = await master.ask(async (client) => {
    const exists = await client.exists(key);
    await client.set(WITNESS, '1');
    const alone = (await client.info('replication')).includes('connected_slaves:0');
    return [exists, await client.wait(1, alone ? REACH_MS.nobody : REACH_MS.somebody)];
  });
  run.proveFault(
    'failover',
    'A has the lock, and the master alone knows it',
    `EXISTS ${held}, WAIT ${reached}`,
    held === 1 && reached === 0,
  );
}

/**
 * The master dies. Nobody does anything by hand: the Sentinels notice, agree, and promote a replica, which does not have
 * the key. Answers how long that took.
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
  run.fault(
    'redis',
    `the Sentinels have promoted ${next.name} after ${(tookMs / 1000).toFixed(1)} s`,
    'Sentinel promoted',
  );
  run.proveFault(
    'failover',
    'the Sentinels name another master',
    `get-master-addr-by-name ${master.port}, then ${told}`,
    told === next.port && told !== master.port,
  );
  const known = await next.ask((client) => client.exists(key));
  run.proveFault('failover', 'it never heard of the lock', `EXISTS ${known}`, known === 0);
  return tookMs;
}
