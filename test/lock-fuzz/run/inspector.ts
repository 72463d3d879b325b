import { Cluster, Redis } from 'ioredis';
import { createPool, type Pool } from 'mysql2/promise';
import { type RedisClient } from '../../../src/locks/index.js';
import { etcdKeys, zookeeperNodes } from '../../support/coordination-kinds.js';
import { leftovers } from '../../support/leftovers.js';
import { zookeeperRoot } from '../kinds/coordination.js';
import { type FuzzKind } from '../kinds/kind.js';
import { mysqlName } from '../kinds/mysql.js';
import { openRedis } from '../kinds/redis-client.js';
import { type ServerPlaces } from './proxied.js';

const PATIENT = {
  watchdogMs: 1000,
  heartbeatMs: 1000,
  commandTimeoutMs: 5000,
  retries: 5,
  offlineQueue: true,
} as const;

/** Reads the servers directly, not through the proxies. */
export class Inspector {
  private constructor(
    private readonly servers: ServerPlaces,
    private readonly redis: RedisClient,
    private readonly masters: readonly RedisClient[],
    private readonly database: Pool,
  ) {}

  static async open(servers: ServerPlaces): Promise<Inspector> {
    const open = (url: string) => openRedis(url, { nat: {} }, PATIENT);
    return new Inspector(
      servers,
      await open(servers.redisUrl),
      await Promise.all(servers.masterUrls.map(open)),
      createPool({ ...servers.database, connectionLimit: 4 }),
    );
  }

  /** Makes the engine fail at the broken key: a Redis list where every lock expects another type. */
  async breakKey(kind: FuzzKind, prefix: string): Promise<void> {
    if (kind.engine === 'redis' && kind.features.brokenKey) await this.redis.rpush(`${prefix}{broken}`, 'x');
  }

  async removeBrokenKey(kind: FuzzKind, prefix: string): Promise<void> {
    if (kind.engine === 'redis' && kind.features.brokenKey) await this.redis.del(`${prefix}{broken}`);
  }

  /** Resolves when every server of the kind has answered. */
  async ping({ engine }: FuzzKind): Promise<void> {
    if (engine === 'redis') await Promise.all(this.redisNodes().map((node) => node.ping()));
    if (engine === 'masters') await Promise.all(this.masters.map((master) => master.ping()));
    if (engine === 'mysql') await this.database.query('SELECT 1');
  }

  /** Keys, rows, nodes and subscriptions of a run that should be gone. */
  async leftBehind(kind: FuzzKind, prefix: string): Promise<string[]> {
    const { etcdUrl = '', zookeeperUrl = '' } = this.servers;
    switch (kind.engine) {
      case 'redis':
        return (await Promise.all(this.redisNodes().map((node) => redisLeftovers(node, prefix)))).flat();
      case 'masters':
        return (await Promise.all(this.masters.map((master) => master.keys(`${prefix}*`)))).flatMap(
          (keys, index) => keys.map((key) => `key ${key} on master ${index + 1}`),
        );
      case 'mysql':
        return this.rows(kind, prefix);
      case 'etcd':
        return (await etcdKeys(etcdUrl, prefix)).map((key) => `etcd key ${key}`);
      case 'zookeeper':
        return (await zookeeperNodes(zookeeperUrl, zookeeperRoot({ prefix }))).map(
          (node) => `ZooKeeper node ${node}`,
        );
    }
  }

  async close(): Promise<void> {
    for (const client of [this.redis, ...this.masters]) client.disconnect();
    await this.database.end();
  }

  private redisNodes(): Redis[] {
    return this.redis instanceof Cluster ? this.redis.nodes('master') : [this.redis];
  }

  private async rows({ name }: FuzzKind, prefix: string): Promise<string[]> {
    if (name !== 'mysql row') return [];
    const names = [mysqlName({ prefix }, 'a'), mysqlName({ prefix }, 'b')];
    const [rows] = await this.database.query(
      'SELECT name FROM lock_rows WHERE name IN (?) AND expires_at >= NOW(3)',
      [names],
    );
    return (rows as { name: string }[]).map((row) => `row ${row.name}`);
  }
}

async function redisLeftovers(node: Redis, prefix: string): Promise<string[]> {
  const keys = await leftovers(node, prefix);
  const channels = (await node.pubsub('CHANNELS', `${prefix}*`)) as string[];
  return [...keys.map((key) => `key ${key}`), ...channels.map((channel) => `subscription ${channel}`)];
}
