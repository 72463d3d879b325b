import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { GOODS } from '../test-bed/test-bed.js';
import { type MariadbReplica } from '../topologies/mariadb-replica.js';

const STOCK = 'SELECT inventory, version FROM goods WHERE id = ?';

interface Row {
  readonly inventory: number;
  readonly version: number;
}

/** The database replica, without lag. */
export async function replicaInStep(run: ExperimentRun): Promise<MariadbReplica> {
  const replica = await run.testBed.replica();
  run.recorder.addActor({ id: 'replica', kind: 'mysql', label: 'its replica' });
  await catchUp(run, replica);
  return replica;
}

/** Waits until the replica has applied everything that the primary has now. */
export async function catchUp(run: ExperimentRun, replica: MariadbReplica): Promise<void> {
  const [row] = (await run.testBed.rows('SELECT @@gtid_binlog_pos AS position')) as { position: string }[];
  const caughtUp = row !== undefined && (await replica.caughtUp(row.position));
  const { behind, seen } = await compare(run, replica);
  run.proveFault('stale-replica', 'the replica has the data of the primary', seen, caughtUp && behind === 0);
}

/** The replica stops applying the changes of the primary. */
export async function fallBehind(run: ExperimentRun, replica: MariadbReplica): Promise<void> {
  await replica.stopApplying();
  const { listens, applies } = await replica.status();
  run.proveFault(
    'stale-replica',
    'the replica receives changes and does not apply them',
    `IO ${listens}, SQL ${applies}`,
    listens === 'Yes' && applies === 'No',
  );
  run.fault('replica', 'the replica falls behind', 'replica stops');
}

export async function proveStale(run: ExperimentRun, replica: MariadbReplica): Promise<void> {
  const { behind, seen } = await compare(run, replica);
  run.proveFault('stale-replica', 'the replica is behind', seen, behind > 0);
}

export async function resumeReplica(run: ExperimentRun, replica: MariadbReplica): Promise<void> {
  await replica.goOn();
  await catchUp(run, replica);
  run.fault('replica', 'the replica has caught up', 'replica in step');
}

async function compare(
  { testBed }: ExperimentRun,
  replica: MariadbReplica,
): Promise<{ behind: number; seen: string }> {
  const [primary] = (await testBed.rows(STOCK, [GOODS])) as Row[];
  const [copy] = (await replica.rows(STOCK.replace('goods', 'lockstock.goods'), [GOODS])) as Row[];
  const told = (row?: Row) => `stock ${row?.inventory ?? '?'} version ${row?.version ?? '?'}`;
  return {
    behind: (primary?.version ?? 0) - (copy?.version ?? 0),
    seen: `primary ${told(primary)}, replica ${told(copy)}`,
  };
}
