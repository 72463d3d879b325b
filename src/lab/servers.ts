import { createConnection, type Connection } from 'mysql2/promise';
import { type DataFolder, type Secrets } from './data-folder.js';
import { LAB_ACCOUNT, Mariadb, OWNER } from './engines/mariadb.js';
import { Redis } from './engines/redis.js';
import { redlockMasters } from './engines/redlock-masters.js';
import { freePorts } from './ports.js';
import { type Guard } from './processes/guard.js';
import { type Report, Supervised } from './processes/supervisor.js';

const REDLOCK_MASTERS = 5;

/** Where the servers are: plain data, so that it can be handed to another process. */
export interface ServerAddresses {
  readonly scheme: 'mariadb' | 'mysql';
  readonly databasePort: number;
  readonly redisUrl: string;
  readonly redisLabUrl: string;
  readonly redlockUrls: readonly string[];
  readonly secrets: Secrets;
}

/** The stores that a shop sells from: private MariaDB and Redis, and the masters that vote in a Redlock. */
export class Servers {
  private constructor(
    readonly addresses: ServerAddresses,
    readonly mariadb: Supervised,
    readonly redis: Supervised,
    readonly redlock: readonly Supervised[],
  ) {}

  static async start(folder: DataFolder, guard: Guard, report: Report): Promise<Servers> {
    const secrets = folder.secrets();
    const [databasePort = 0, redisPort = 0, ...redlockPorts] = await freePorts(2 + REDLOCK_MASTERS);
    const mariadb = new Mariadb({
      folder: folder.in('mariadb'),
      socketFolder: folder.socketFolder(guard),
      logFile: folder.in('logs/mariadb.log'),
      port: databasePort,
      ownerPassword: secrets.ownerPassword,
      labPassword: secrets.labPassword,
      guard,
    });
    const redis = new Redis({
      folder: folder.in('redis'),
      logFile: folder.in('logs/redis.log'),
      port: redisPort,
      servicePassword: secrets.redisPassword,
      labPassword: secrets.labPassword,
      guard,
    });
    const redlock = redlockMasters(folder, secrets, redlockPorts, guard);
    const addresses = {
      scheme: mariadb.scheme,
      databasePort,
      redisUrl: redis.serviceUrl,
      redisLabUrl: redis.labUrl,
      redlockUrls: redlock.map((master) => master.serviceUrl),
      secrets,
    };
    const servers = new Servers(
      addresses,
      new Supervised(mariadb, report),
      new Supervised(redis, report),
      redlock.map((master) => new Supervised(master, report)),
    );
    await Promise.all(servers.all.map((server) => server.start()));
    return servers;
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((server) => server.stop()));
  }

  get all(): readonly Supervised[] {
    return [this.mariadb, this.redis, ...this.redlock];
  }
}

/** The environment of an instance that sells from the given database on these servers. */
export function serviceEnvironment(servers: ServerAddresses, database: string): Record<string, string> {
  const { scheme, databasePort, secrets, redisUrl, redlockUrls } = servers;
  const url = (user: string, password: string) =>
    `${scheme}://${user}:${password}@127.0.0.1:${databasePort}/${database}`;
  return {
    DATABASE_URL: url('lockstock_service', secrets.servicePassword),
    MIGRATIONS_URL: url(OWNER, secrets.ownerPassword),
    REDIS_URL: redisUrl,
    REDLOCK_URLS: redlockUrls.join(','),
    ADMIN_TOKEN: secrets.adminToken,
  };
}

/** The lab's own look into the database. */
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
