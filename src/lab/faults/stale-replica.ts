import { type Scene } from '../experiments/scene.js';
import { GOODS } from '../experiments/stage.js';
import { type MariadbReplica } from '../topologies/mariadb-replica.js';

const STOCK = 'SELECT inventory, version FROM goods WHERE id = ?';

interface Row {
  readonly inventory: number;
  readonly version: number;
}

/** The replica of the stage, in step with its primary. */
export async function replicaInStep(scene: Scene): Promise<MariadbReplica> {
  const replica = await scene.stage.replica();
  scene.recorder.meet({ id: 'replica', kind: 'mysql', label: 'its replica' });
  await catchUp(scene, replica);
  return replica;
}

/** Waits until the replica has all that the primary has now. */
export async function catchUp(scene: Scene, replica: MariadbReplica): Promise<void> {
  const [row] = (await scene.stage.rows('SELECT @@gtid_binlog_pos AS position')) as { position: string }[];
  const caughtUp = row !== undefined && (await replica.caughtUp(row.position));
  const { behind, seen } = await compare(scene, replica);
  scene.proveFault('stale-replica', 'the replica has what the primary has', seen, caughtUp && behind === 0);
}

/** From here on the replica stays where it is, whatever the primary does. */
export async function fallBehind(scene: Scene, replica: MariadbReplica): Promise<void> {
  await replica.stopApplying();
  const { listens, applies } = await replica.status();
  scene.proveFault(
    'stale-replica',
    'the replica hears and does not apply',
    `IO ${listens}, SQL ${applies}`,
    listens === 'Yes' && applies === 'No',
  );
  scene.fault('replica', 'the replica falls behind', 'replica stops');
}

export async function proveStale(scene: Scene, replica: MariadbReplica): Promise<void> {
  const { behind, seen } = await compare(scene, replica);
  scene.proveFault('stale-replica', 'the replica is behind', seen, behind > 0);
}

export async function resumeReplica(scene: Scene, replica: MariadbReplica): Promise<void> {
  await replica.goOn();
  await catchUp(scene, replica);
  scene.fault('replica', 'the replica has caught up', 'replica in step');
}

async function compare({ stage }: Scene, replica: MariadbReplica): Promise<{ behind: number; seen: string }> {
  const [primary] = (await stage.rows(STOCK, [GOODS])) as Row[];
  const [copy] = (await replica.rows(STOCK.replace('goods', 'lockstock.goods'), [GOODS])) as Row[];
  const told = (row?: Row) => `stock ${row?.inventory ?? '?'} version ${row?.version ?? '?'}`;
  return {
    behind: (primary?.version ?? 0) - (copy?.version ?? 0),
    seen: `primary ${told(primary)}, replica ${told(copy)}`,
  };
}
