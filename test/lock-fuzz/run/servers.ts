import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCK_ROWS_TABLE } from '../../../src/locks/index.js';
import { DataFolder } from '../../../src/lab/data-folder.js';
import { LAB_ACCOUNT as DATABASE_ACCOUNT } from '../../../src/lab/engines/mariadb.js';
import { LAB_ACCOUNT as REDIS_ACCOUNT, SERVICE_ACCOUNT } from '../../../src/lab/engines/redis.js';
import { ProcessReaper } from '../../../src/lab/processes/process-reaper.js';
import { labConnection, type ServerAddresses, Servers } from '../../../src/lab/servers.js';
import { ClusterTopology } from '../../../src/lab/topologies/cluster.js';
import { SentinelTopology } from '../../../src/lab/topologies/sentinel.js';
import { type Topology } from '../kinds/places.js';
import { type ServerPlaces } from './proxied.js';

const DATABASE = 'lock_fuzz';

/** Private servers, which end with the fuzzer. */
export class FuzzServers {
  private constructor(
    readonly places: ServerPlaces,
    readonly reaper: ProcessReaper,
    private readonly servers: Servers,
    private readonly redis: { stop(): Promise<void> } | undefined,
  ) {}

  static async start(topology: Topology, say: (message: string) => void): Promise<FuzzServers> {
    const reaper = new ProcessReaper();
    const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-fuzz-')));
    reaper.addFile(folder.path);
    await folder.occupy({ fresh: false });
    const servers = await Servers.start(folder, reaper, say);
    const options = { folder, reaper, secrets: servers.addresses.secrets };
    const redis =
      topology === 'sentinel'
        ? await SentinelTopology.start(options)
        : topology === 'cluster'
          ? await ClusterTopology.start(options)
          : undefined;
    await servers.complete;
    const places = await placesOf(servers.addresses, DATABASE);
    const of = redis && {
      topology,
      redisUrl: asLab(redis.url, servers.addresses),
      redisPorts: redis.nodes.map(({ port }) => port),
    };
    return new FuzzServers({ ...places, ...of }, reaper, servers, redis);
  }

  async stop(): Promise<void> {
    await this.redis?.stop();
    await this.servers.stop();
    await this.reaper.close();
  }
}

/** The addresses of servers that run, with a database and a table for the fuzzer. */
export async function placesOf(addresses: ServerAddresses, database: string): Promise<ServerPlaces> {
  const connection = await labConnection(addresses);
  await connection.query(`CREATE DATABASE IF NOT EXISTS ${database}`);
  await connection.query(`USE ${database}`);
  await connection.query(LOCK_ROWS_TABLE);
  await connection.end();
  const { redisLabUrl, redlockUrls, databasePort, secrets, etcdLabUrl, zookeeperUrl } = addresses;
  return {
    topology: 'single',
    nat: {},
    prefix: '',
    redisUrl: redisLabUrl,
    redisPorts: [Number(new URL(redisLabUrl).port)],
    masterUrls: redlockUrls.map((url) => asLab(url, addresses)),
    database: {
      host: '127.0.0.1',
      port: databasePort,
      user: DATABASE_ACCOUNT,
      password: secrets.labPassword,
      database,
    },
    etcdUrl: etcdLabUrl,
    zookeeperUrl,
  };
}

/** The lab's account may look at every key. Sentinels themselves are asked with the service's account. */
function asLab(url: string, { secrets }: ServerAddresses): string {
  const service = `//${SERVICE_ACCOUNT}:${secrets.redisPassword}@`;
  return url.replace(service, `//${REDIS_ACCOUNT}:${secrets.labPassword}@`);
}
