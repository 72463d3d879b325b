import { type RedisClient } from './connect.js';
import { type Script } from './script.js';

/** How many replicas must have a write before it counts: a number, or a majority together with the master. */
export type ReplicaCount = number | 'majority';

/** How long WAIT waits at most. */
export const REPLICA_TIMEOUT_MS = 500;

/** The write was not copied to enough replicas in time: a failover now would lose it. */
export class NotReplicated extends Error {
  readonly type = 'engine-unavailable';
  constructor(
    readonly wanted: number,
    readonly reached: number,
  ) {
    super(`${reached} of ${wanted} replicas have the lock.`);
  }
}

/** Runs the scripts whose writes count only when enough replicas have them. */
export class Replication {
  /** The largest number of replicas that a master had so far: replicas that it has lost since still count. */
  private mostSeen = 0;

  constructor(
    private readonly client: RedisClient,
    readonly count: ReplicaCount = 0,
  ) {
    if (count !== 'majority' && !(Number.isInteger(count) && count >= 0)) {
      throw new RangeError(`replicas must be a whole number or 'majority', not ${String(count)}.`);
    }
  }

  get timeoutMs(): number {
    return this.count === 0 ? 0 : REPLICA_TIMEOUT_MS;
  }

  /**
   * Runs a script, and WAIT in the same pipeline. WAIT counts the replicas of the node on which it runs, for the writes of
   * its own connection. Sent separately, it could go to another node of a cluster, or to the new master after a failover.
   *
   * @throws NotReplicated when the answer is a grant that too few replicas have
   */
  async run<Answer>(
    script: Script<Answer>,
    keys: readonly [string, ...string[]],
    args: readonly (string | number)[],
    isGrant: (answer: Answer) => boolean,
  ): Promise<Answer> {
    if (this.count === 0) return script.run(this.client, keys, args);
    const wanted = this.count === 'majority' ? await this.majority(keys[0]) : this.count;
    const [answer, reached] = await script.runBefore(this.client, keys, args, (pipeline) =>
      pipeline.wait(wanted, REPLICA_TIMEOUT_MS),
    );
    if (isGrant(answer) && Number(reached) < wanted) throw new NotReplicated(wanted, Number(reached));
    return answer;
  }

  /** How many replicas form a majority of the nodes together with the master: one of two replicas, for example. At least one. */
  private async majority(key: string): Promise<number> {
    // EXISTS has a key, which sends the pipeline to the node of that key.
    await this.client.exists(key);
    const results = await this.client.pipeline().exists(key).info('replication').exec();
    const info = results?.[1]?.[1];
    if (typeof info !== 'string') throw results?.[1]?.[0] ?? new Error('Redis did not answer INFO.');
    const connected = Number(/connected_slaves:(\d+)/.exec(info)?.[1] ?? 0);
    this.mostSeen = Math.max(this.mostSeen, connected);
    return Math.max(1, Math.ceil(this.mostSeen / 2));
  }
}
