import { type Connection } from 'mysql2/promise';
import { type Audit } from '../../contract/audit.js';
import { type StrategyListing, type StrategyMetadata } from '../../contract/strategy.js';
import { closeAll } from '../close-all.js';
import { type DataFolder } from '../data-folder.js';
import { LabError } from '../errors.js';
import { TcpProxy } from '../tcp-proxy.js';
import { migrateDatabase } from '../migration.js';
import { freePort } from '../ports.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { labConnection, Servers, serviceEnvironment } from '../servers.js';
import { readAudit, readEngines, readStrategies } from '../service-answers.js';
import { MariadbReplica } from '../topologies/mariadb-replica.js';
import { SentinelTopology } from '../topologies/sentinel.js';
import { type TopologyOptions } from '../topologies/topology.js';
import { until } from '../until.js';
import { CheckpointServer } from './checkpoint-server.js';
import { type Instance } from './instance.js';
import { RedisEndpoint } from './redis-endpoint.js';
import { RedlockEndpoints } from './redlock-endpoints.js';
import { InstancePool } from './instance-pool.js';

const LOCK_WAIT_MS = 4000;
/** No schedule takes as long as a lease, and a lease ends before a wait does. */
export const EXPLORED_LEASE_MS = 20_000;
export const EXPLORED_WAIT_MS = 60_000;
const DATABASE = 'lockstock';
/** The goods that every buyer of an experiment buys. */
export const GOODS = 1;

/** Servers and instances for experiments. Each of them can be stopped, killed or replaced. */
export class TestBed {
  private sentinelPorts: readonly number[] | undefined;
  private replicaStarted: Promise<MariadbReplica> | undefined;
  private listing: Promise<readonly StrategyListing[]> | undefined;

  private constructor(
    private readonly folder: DataFolder,
    private readonly reaper: ProcessReaper,
    readonly servers: Servers,
    readonly checkpoints: CheckpointServer,
    readonly redis: RedisEndpoint,
    readonly redlock: RedlockEndpoints,
    /** The proxy between the instances and the database; the lab connects directly. */
    readonly databaseWire: TcpProxy,
    readonly instances: InstancePool,
    readonly replicaPort: number,
    private database: Connection,
  ) {}

  static async open(
    folder: DataFolder,
    reaper: ProcessReaper,
    env: Readonly<Record<string, string>> = {},
  ): Promise<TestBed> {
    // The instances use the Redis and the Redlock masters of the test bed, and few experiments need the other servers.
    const servers = await Servers.start(folder, reaper, () => undefined, { replicated: true, only: [] });
    const opened: (() => Promise<unknown>)[] = [() => servers.stop()];
    try {
      return await TestBed.on(servers, opened, folder, reaper, env);
    } catch (error) {
      await closeAll(opened.reverse()).catch(() => undefined);
      throw error;
    }
  }

  /** `opened`: what must be closed when a later step fails. */
  private static async on(
    servers: Servers,
    opened: (() => Promise<unknown>)[],
    folder: DataFolder,
    reaper: ProcessReaper,
    env: Readonly<Record<string, string>>,
  ): Promise<TestBed> {
    const { secrets } = servers.addresses;
    const redisOpens = RedisEndpoint.open(folder, secrets, reaper);
    opened.push(async () => (await redisOpens).close());
    const [redis, redlock] = await Promise.all([
      redisOpens,
      RedlockEndpoints.choose({ folder, secrets, reaper }),
      migrateDatabase({ folder, reaper, servers: servers.addresses, database: DATABASE }),
    ]);
    const wire = await TcpProxy.to(servers.addresses.databasePort);
    opened.push(() => wire.close());
    const database = await labConnection(servers.addresses, DATABASE);
    opened.push(() => database.end());
    const checkpoints = await CheckpointServer.open();
    opened.push(() => checkpoints.close());
    const replicaPort = await freePort();
    const { addresses } = servers;
    const instances = new InstancePool(folder, reaper, {
      ...serviceEnvironment(
        {
          ...addresses,
          databasePort: wire.port,
          redisUrl: redis.serviceUrl,
          redlockUrls: redlock.ports.map((port) => withPort(addresses.redisUrl, port)),
        },
        DATABASE,
      ),
      REPLICA_URL: withPort(serviceEnvironment(addresses, DATABASE)['DATABASE_URL'] ?? '', replicaPort),
      LOCK_WAIT_MS: String(LOCK_WAIT_MS),
      // A pause looks like an overloaded event loop. It must not make the instance reject the next request.
      MAX_EVENT_LOOP_DELAY_MS: '60000',
      LOG_LEVEL: 'warn',
      CHECKPOINTS: checkpoints.address,
      // Evidence names places in the sources, not in the compiled files.
      NODE_OPTIONS: '--enable-source-maps',
      ...env,
    });
    return new TestBed(
      folder,
      reaper,
      servers,
      checkpoints,
      redis,
      redlock,
      wire,
      instances,
      replicaPort,
      database,
    );
  }

  /** A Redis that is managed by Sentinels, and instances that find it through them. */
  async sentinel(): Promise<{
    readonly topology: SentinelTopology;
    readonly instances: readonly Instance[];
  }> {
    this.sentinelPorts ??= await SentinelTopology.choosePorts();
    const topology = await SentinelTopology.start(this.topology, this.sentinelPorts);
    return { topology, instances: await this.instances.withEnvironment({ REDIS_URL: topology.url }) };
  }

  /** A replica of the database at the address in REPLICA_URL; started on first use. */
  replica(): Promise<MariadbReplica> {
    const { folder, reaper, servers, replicaPort: port } = this;
    this.replicaStarted ??= MariadbReplica.start({ folder, reaper, addresses: servers.addresses, port });
    return this.replicaStarted;
  }

  /** What is needed to start further servers for one experiment. */
  get topology(): TopologyOptions {
    return { folder: this.folder, reaper: this.reaper, secrets: this.servers.addresses.secrets };
  }

  /** The strategies and specimens as an instance lists them. Their servers need not run yet. */
  strategies(
    instances: () => Promise<readonly Instance[]> = () => this.instances.acquire('long', 1),
  ): Promise<readonly StrategyListing[]> {
    this.listing ??= instances().then(([first]) => readStrategies(first?.url ?? ''));
    return this.listing;
  }

  /**
   * Starts the servers that the strategy needs, and waits until the instance is connected to them: it may just have
   * started, and the experiment before may have replaced a server.
   */
  async connected(instance: Instance, strategy: string): Promise<void> {
    await this.startServers([strategy]);
    const { needs } = await this.strategy(strategy);
    // Only the list of strategies knows etcd and ZooKeeper. It makes the instance connect to both.
    const lists = needs.some((engine) => engine === 'etcd' || engine === 'zookeeper');
    await until(`${strategy} is available at ${instance.name}`, async () => {
      if (lists)
        return (await readStrategies(instance.url)).some(
          ({ name, available }) => name === strategy && available,
        );
      const engines = await readEngines(instance.url);
      return needs.every((engine) => engines[engine] === 'up');
    });
  }

  /** Starts the servers that these strategies need. Instances try to connect to them all the time, which costs CPU. */
  async startServers(strategies: Iterable<string>): Promise<void> {
    const needs = await Promise.all([...strategies].map((name) => this.strategy(name)));
    await Promise.all(needs.flatMap((strategy) => strategy.needs.map((engine) => this.ensure(engine))));
  }

  private async strategy(name: string): Promise<StrategyMetadata> {
    const strategy = (await this.strategies()).find((one) => one.name === name);
    if (!strategy) throw new LabError(`There is no strategy ${JSON.stringify(name)}.`);
    return strategy;
  }

  private async ensure(engine: StrategyMetadata['needs'][number]): Promise<void> {
    if (engine === 'redlock') await this.redlock.ensure();
    else if (engine === 'etcd' || engine === 'zookeeper') await this.servers.ensure(engine);
  }

  /**
   * Starts a new ledger run, with the stock where the strategy counts it. Retried, because the Redis of the experiment
   * before may just have been replaced.
   */
  async reset(instance: Instance, inventory: number, strategy: string): Promise<void> {
    const { stock } = await this.strategy(strategy);
    await until('a new run', async () => {
      const response = await fetch(`${instance.url}/goods/${GOODS}/reset`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${this.servers.addresses.secrets.adminToken}`,
        },
        body: JSON.stringify({ inventory, stock }),
      });
      if (!response.ok || stock === 'mysql') return response.ok;
      return (await this.audit(instance)).redisRemaining === inventory;
    });
  }

  audit(instance: Instance): Promise<Audit> {
    return readAudit(instance.url, GOODS);
  }

  /** The audit, once no reservation in Redis waits to be written to the ledger. */
  settledAudit(instance: Instance, withinMs = 20_000): Promise<Audit> {
    return until(
      'all reservations are in the ledger',
      async () => {
        const audit = await this.audit(instance);
        return audit.inFlight === 0 && audit;
      },
      withinMs,
    );
  }

  /** Whether a request waits for a row lock or a named lock. Experiments run one at a time, so it is theirs. */
  async waitsInMysql(): Promise<boolean> {
    return (await this.mysqlWaits()) > 0;
  }

  /** How many connections wait for a row lock or a named lock, as the server says. */
  async mysqlWaits(): Promise<number> {
    // Not innodb_trx: its content is cached for 100 ms.
    const [row] = (await this.rows("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")) as {
      Value: string;
    }[];
    const named = await this.rows("SELECT 1 FROM information_schema.processlist WHERE state = 'User lock'");
    return Number(row?.Value) + named.length;
  }

  /** Waits until the server has ended these connections: it rolls back what they had not committed. */
  async mysqlConnectionsEnded(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await until('MySQL has noticed that the connections are closed', async () => {
      const left = await this.rows('SELECT id FROM information_schema.processlist WHERE id IN (?)', [ids]);
      return left.length === 0;
    });
  }

  /**
   * Instances that are connected to the servers without the proxies of the experiments, with leases and waits that no
   * schedule of the explorer outlasts.
   */
  explored(count: number): Promise<readonly Instance[]> {
    const { addresses } = this.servers;
    const redisUrl = withPort(this.redis.serviceUrl, this.redis.node.port);
    const { DATABASE_URL = '' } = serviceEnvironment(addresses, DATABASE);
    const changes = {
      DATABASE_URL,
      REDIS_URL: redisUrl,
      LOCK_LEASE_MS: String(EXPLORED_LEASE_MS),
      LOCK_WAIT_MS: String(EXPLORED_WAIT_MS),
      // A schedule lets the clock jump further than the longest wait, and no rebuild of the Redis stock is one of its steps.
      REDIS_ORDER_TIMEOUT_MS: '600000',
    };
    return this.instances.withEnvironment(changes, count);
  }

  /** A connection of the lab to the database, directly or through a proxy at `databasePort`. */
  connect(databasePort = this.servers.addresses.databasePort): Promise<Connection> {
    return labConnection({ ...this.servers.addresses, databasePort }, DATABASE);
  }

  /** Needed after the database was killed. */
  async reconnect(): Promise<void> {
    this.database.destroy();
    this.database = await until('the database answers', () => this.connect());
  }

  async rows(sql: string, parameters: readonly unknown[] = []): Promise<object[]> {
    const [rows] = await this.database.query(sql, [...parameters]);
    return rows as object[];
  }

  file(name: string): string {
    return this.folder.in(name);
  }

  async close(): Promise<void> {
    await closeAll([
      () => this.database.end().catch(() => undefined),
      () => this.instances.stop(),
      () => this.redis.close(),
      () => this.databaseWire.close(),
      () => this.redlock.close(),
      () => this.checkpoints.close(),
      async () => (await this.replicaStarted?.catch(() => undefined))?.stop(),
      () => this.servers.stop(),
    ]);
  }
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
