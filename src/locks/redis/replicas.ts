import { type RedisClient } from './connect.js';

/** How many replicas must have a write before it counts: a number, or most of those that there are. */
export type ReplicaCount = number | 'majority';

const REPLICA_TIMEOUT_MS = 500;

/** The write was not copied to enough replicas in time: a failover now would forget it. */
export class NotReplicated extends Error {
  readonly type = 'engine-unavailable';
  constructor(
    readonly wanted: number,
    readonly reached: number,
  ) {
    super(`${reached} of ${wanted} replicas have the lock.`);
  }
}

/** Waits until the last write of this connection is on enough replicas. Without a count it waits for none. */
export async function replicated(client: RedisClient, count: ReplicaCount | undefined): Promise<void> {
  if (count === undefined || count === 0) return;
  const wanted = count === 'majority' ? majority(await replicaCount(client)) : count;
  const reached = await client.wait(wanted, REPLICA_TIMEOUT_MS);
  if (reached < wanted) throw new NotReplicated(wanted, reached);
}

/** With the master, most of the nodes: one of two replicas is two of three nodes. */
function majority(replicas: number): number {
  return Math.ceil(replicas / 2);
}

async function replicaCount(client: RedisClient): Promise<number> {
  const info = await client.info('replication');
  return Number(/connected_slaves:(\d+)/.exec(info)?.[1] ?? 0);
}
