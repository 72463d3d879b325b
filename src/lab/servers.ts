import { createConnection, type Connection } from 'mysql2/promise';
import { type DataFolder, type Secrets } from './data-folder.js';
import { EtcdServer } from './engines/etcd.js';
import { LAB_ACCOUNT, Mariadb, OWNER } from './engines/mariadb.js';
import { Redis } from './engines/redis.js';
import { redlockMasters } from './engines/redlock-masters.js';
import { ZookeeperServer } from './engines/zookeeper.js';
import { freePorts } from './ports.js';
import { type ProcessReaper } from './processes/process-reaper.js';
import { type Report, Supervised } from './processes/supervisor.js';

const REDLOCK_MASTERS = 5;

/** The servers in addition to the database. */
export type OptionalServer = 'redis' | 'redlock' | 'etcd' | 'zookeeper';
const OPTIONAL: readonly OptionalServer[] = ['redis', 'redlock', 'etcd', 'zookeeper'];

export interface ServerOptions {
  /** Whether the database writes a binary log for replicas. */
  readonly replicated?: boolean;
  /** The servers to start in addition to the database; all by default. `ensure` starts others later. */
  readonly only?: readonly OptionalServer[];
}

/** The addresses of the servers: plain data, so that they can be passed to another process. */
export interface ServerAddresses {
  readonly scheme: 'mariadb' | 'mysql';
  readonly databasePort: number;
  readonly redisUrl: string;
  readonly redisLabUrl: string;
  readonly redlockUrls: readonly string[];
  /** Absent where etcd is not installed. */
  readonly etcdUrl?: string;
  readonly etcdLabUrl?: string;
  /** Absent where ZooKeeper is not installed. */
  readonly zookeeperUrl?: string;
  readonly secrets: Secrets;
}

/**
 * The stores that a shop sells from: private MariaDB and Redis, the masters that vote in a Redlock, and the
 * coordination services where they are installed.
 */
export class Servers {
  /** Resolves when the coordination services answer as well. Nothing else waits for them, because a JVM starts slowly. */
  readonly complete: Promise<void>;
  private stopping = false;
  private readonly started = new Map<OptionalServer, Promise<void>>();

  private constructor(
    readonly addresses: ServerAddresses,
    readonly mariadb: Supervised,
    readonly redis: Supervised,
    readonly redlock: readonly Supervised[],
    readonly etcd: Supervised | undefined,
    readonly zookeeper: Supervised | undefined,
    only: readonly OptionalServer[],
    private readonly report: Report,
  ) {
    const coordination = only.filter((name) => name === 'etcd' || name === 'zookeeper');
    this.complete = Promise.all(coordination.map((name) => this.ensure(name))).then(() => undefined);
  }

  static async start(
    folder: DataFolder,
    reaper: ProcessReaper,
    report: Report,
    { replicated = false, only = OPTIONAL }: ServerOptions = {},
  ): Promise<Servers> {
    const secrets = folder.secrets();
    const [databasePort = 0, redisPort = 0, etcdPort = 0, zookeeperPort = 0, ...redlockPorts] =
      await freePorts(4 + REDLOCK_MASTERS);
    const mariadb = new Mariadb({
      folder: folder.in('mariadb'),
      socketFolder: folder.socketFolder(reaper),
      logFile: folder.in('logs/mariadb.log'),
      port: databasePort,
      ownerPassword: secrets.ownerPassword,
      labPassword: secrets.labPassword,
      ...(replicated && { replication: { serverId: 1, primary: true } }),
      reaper,
    });
    const redis = new Redis({
      folder: folder.in('redis'),
      logFile: folder.in('logs/redis.log'),
      port: redisPort,
      servicePassword: secrets.redisPassword,
      labPassword: secrets.labPassword,
      reaper,
    });
    const redlock = redlockMasters(folder, secrets, redlockPorts, reaper);
    const etcd = EtcdServer.installed
      ? new EtcdServer({
          ...placeOf('etcd', folder),
          port: etcdPort,
          servicePassword: secrets.etcdPassword,
          labPassword: secrets.labPassword,
          reaper,
        })
      : undefined;
    const zookeeper = ZookeeperServer.installed
      ? new ZookeeperServer({
          ...placeOf('zookeeper', folder),
          port: zookeeperPort,
          password: secrets.zookeeperPassword,
          reaper,
        })
      : undefined;
    const addresses = {
      scheme: mariadb.scheme,
      databasePort,
      redisUrl: redis.serviceUrl,
      redisLabUrl: redis.labUrl,
      redlockUrls: redlock.map((master) => master.serviceUrl),
      ...(etcd && { etcdUrl: etcd.serviceUrl, etcdLabUrl: etcd.labUrl }),
      ...(zookeeper && { zookeeperUrl: zookeeper.url }),
      secrets,
    };
    const servers = new Servers(
      addresses,
      new Supervised(mariadb, report),
      new Supervised(redis, report),
      redlock.map((master) => new Supervised(master, report)),
      etcd && new Supervised(etcd, report),
      zookeeper && new Supervised(zookeeper, report),
      only,
      report,
    );
    const stores = only.filter((name) => name === 'redis' || name === 'redlock');
    const starts = await Promise.allSettled([
      servers.mariadb.start(),
      ...stores.map((name) => servers.ensure(name)),
    ]);
    const failed = starts.find((start) => start.status === 'rejected');
    if (failed) {
      await servers.stop();
      throw failed.reason;
    }
    return servers;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.all.map((server) => server.stop()));
  }

  /** Starts a server that was not started with the others. A coordination service that does not start is reported. */
  ensure(name: OptionalServer): Promise<void> {
    const started = this.started.get(name) ?? this.startOne(name);
    this.started.set(name, started);
    return started;
  }

  get all(): readonly Supervised[] {
    return [this.mariadb, ...OPTIONAL.flatMap((name) => this.members(name))];
  }

  private members(name: OptionalServer): readonly Supervised[] {
    if (name === 'redlock') return this.redlock;
    const server = this[name];
    return server ? [server] : [];
  }

  /** A shop works without etcd and ZooKeeper; the strategies that need them are then not available. */
  private async startOne(name: OptionalServer): Promise<void> {
    const starting = Promise.all(this.members(name).map((server) => server.start()));
    if (name === 'redis' || name === 'redlock') await starting;
    else
      await starting.catch((error: unknown) => {
        if (!this.stopping) this.report((error as Error).message);
      });
  }
}

function placeOf(name: string, folder: DataFolder): { readonly folder: string; readonly logFile: string } {
  return { folder: folder.in(name), logFile: folder.in(`logs/${name}.log`) };
}

/** The environment of an instance that sells from the given database on these servers. */
export function serviceEnvironment(servers: ServerAddresses, database: string): Record<string, string> {
  const { secrets, redisUrl, redlockUrls, etcdUrl, zookeeperUrl } = servers;
  return {
    DATABASE_URL: databaseUrl(servers, database, 'lockstock_service', secrets.servicePassword),
    REDIS_URL: redisUrl,
    REDLOCK_URLS: redlockUrls.join(','),
    ...(etcdUrl !== undefined && { ETCD_URL: etcdUrl }),
    ...(zookeeperUrl !== undefined && { ZOOKEEPER_URL: zookeeperUrl }),
    ADMIN_TOKEN: secrets.adminToken,
  };
}

/** The environment of `src/migrate.ts`, the only program that is given the owner's account. */
export function migrationEnvironment(servers: ServerAddresses, database: string): Record<string, string> {
  const { DATABASE_URL = '' } = serviceEnvironment(servers, database);
  return {
    DATABASE_URL,
    MIGRATIONS_URL: databaseUrl(servers, database, OWNER, servers.secrets.ownerPassword),
  };
}

function databaseUrl(
  { scheme, databasePort }: ServerAddresses,
  database: string,
  user: string,
  password: string,
): string {
  return `${scheme}://${user}:${password}@127.0.0.1:${databasePort}/${database}`;
}

/** A connection to the database with the lab's account. */
export function labConnection(
  { databasePort, secrets }: ServerAddresses,
  database?: string,
): Promise<Connection> {
  return createConnection({
    host: '127.0.0.1',
    port: databasePort,
    user: LAB_ACCOUNT,
    password: secrets.labPassword,
    ...(database !== undefined && { database }),
  });
}
