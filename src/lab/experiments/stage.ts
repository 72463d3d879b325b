import { type Connection } from 'mysql2/promise';
import { type Audit } from '../../contract/audit.js';
import { type StrategyListing } from '../../contract/strategy.js';
import { type DataFolder } from '../data-folder.js';
import { TcpProxy } from '../faults/tcp-proxy.js';
import { migrateDatabase } from '../migration.js';
import { freePort } from '../ports.js';
import { type Guard } from '../processes/guard.js';
import { labConnection, Servers, serviceEnvironment } from '../servers.js';
import { readAudit, readStrategies } from '../service-answers.js';
import { MariadbReplica } from '../topologies/mariadb-replica.js';
import { SentinelTopology } from '../topologies/sentinel.js';
import { type TopologyOptions } from '../topologies/topology.js';
import { until } from '../until.js';
import { Director } from './director.js';
import { engineMissing } from './missing.js';
import { type Player } from './player.js';
import { RedisPlace } from './redis-place.js';
import { RedlockPlace } from './redlock-place.js';
import { Troupe } from './troupe.js';

const LOCK_WAIT_MS = 4000;
const DATABASE = 'lockstock';
/** The goods that everybody wants. */
export const GOODS = 1;

/** Servers and instances for experiments: the same as a shop's, but each can be stopped, killed and replaced. */
export class Stage {
  private sentinelPorts: readonly number[] | undefined;
  private replicaStarted: Promise<MariadbReplica> | undefined;

  private constructor(
    private readonly folder: DataFolder,
    private readonly guard: Guard,
    readonly servers: Servers,
    readonly director: Director,
    readonly redis: RedisPlace,
    readonly redlock: RedlockPlace,
    /** The way of the instances to the database; the lab has its own. */
    readonly databaseWire: TcpProxy,
    readonly troupe: Troupe,
    private readonly replicaPort: number,
    private database: Connection,
  ) {}

  static async open(folder: DataFolder, guard: Guard): Promise<Stage> {
    const servers = await Servers.start(folder, guard, () => undefined, { replicated: true });
    const { secrets } = servers.addresses;
    const [redis, redlock] = await Promise.all([
      RedisPlace.open(folder, secrets, guard),
      RedlockPlace.open({ folder, secrets, guard }),
      migrateDatabase({ folder, guard, servers: servers.addresses, database: DATABASE }),
    ]);
    const wire = await TcpProxy.to(servers.addresses.databasePort);
    const database = await labConnection(servers.addresses, DATABASE);
    const director = await Director.open();
    const replicaPort = await freePort();
    const { addresses } = servers;
    const troupe = new Troupe(folder, guard, {
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
      // Whoever was stopped is late because the lab wanted it: he must not refuse the next buyer for that.
      MAX_EVENT_LOOP_DELAY_MS: '60000',
      LOG_LEVEL: 'warn',
      CHECKPOINTS: director.address,
      // Evidence names lines of the sources, not of what was compiled from them.
      NODE_OPTIONS: '--enable-source-maps',
    });
    return new Stage(folder, guard, servers, director, redis, redlock, wire, troupe, replicaPort, database);
  }

  /** A Redis of the scene's own that Sentinels look after, and instances that find it by asking them. */
  async sentinel(): Promise<{ readonly topology: SentinelTopology; readonly players: readonly Player[] }> {
    this.sentinelPorts ??= await SentinelTopology.choosePorts();
    const topology = await SentinelTopology.start(this.topology, this.sentinelPorts);
    return { topology, players: await this.troupe.invite({ REDIS_URL: topology.url }) };
  }

  /** A replica of the database, at the address that the instances know; started for the first who wants it. */
  replica(): Promise<MariadbReplica> {
    const { folder, guard, servers, replicaPort: port } = this;
    this.replicaStarted ??= MariadbReplica.start({ folder, guard, addresses: servers.addresses, port });
    return this.replicaStarted;
  }

  /** Servers of an experiment's own. */
  get topology(): TopologyOptions {
    return { folder: this.folder, guard: this.guard, secrets: this.servers.addresses.secrets };
  }

  /** What the instances say of the strategies. */
  async strategies(): Promise<StrategyListing[]> {
    const [player] = await this.troupe.players('long', 1);
    const list = () => readStrategies(player?.url ?? '');
    // An instance serves before it has found the coordination services.
    await until('the strategies', async () =>
      (await list()).every(({ available, needs }) => available || engineMissing(needs) !== undefined),
    );
    return (await list()).filter(({ family }) => family !== 'specimen');
  }

  /** Waits until the instance is connected to all that the strategy needs: it may have lost a server a moment ago. */
  async connected(player: Player, strategy: string): Promise<void> {
    await until(`${strategy} is available at ${player.name}`, async () =>
      (await readStrategies(player.url)).some(({ name, available }) => name === strategy && available),
    );
  }

  /**
   * A new run, with the stock where the strategy sells it. Tried again for a while, because the Redis of the run before
   * may just have been replaced.
   */
  async reset(player: Player, inventory: number, strategy: string): Promise<void> {
    const stock = (await readStrategies(player.url)).find(({ name }) => name === strategy)?.stock ?? 'mysql';
    await until('a new run', async () => {
      const response = await fetch(`${player.url}/goods/${GOODS}/reset`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${this.servers.addresses.secrets.adminToken}`,
        },
        body: JSON.stringify({ inventory, stock }),
      });
      if (!response.ok || stock === 'mysql') return response.ok;
      return (await this.audit(player)).redisRemaining === inventory;
    });
  }

  audit(player: Player): Promise<Audit> {
    return readAudit(player.url, GOODS);
  }

  /** Does anybody wait for a row, or for a named lock? Experiments run one at a time, so it is one of theirs. */
  async waitsInMysql(): Promise<boolean> {
    // innodb_trx would be the natural place to look, but who looks more often than every 100 ms sees an old picture.
    const [row] = (await this.rows("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")) as {
      Value: string;
    }[];
    if (Number(row?.Value) > 0) return true;
    const named = await this.rows("SELECT 1 FROM information_schema.processlist WHERE state = 'User lock'");
    return named.length > 0;
  }

  /** A connection of the lab's own to the database of the stage, or to whatever leads there. */
  connect(databasePort = this.servers.addresses.databasePort): Promise<Connection> {
    return labConnection({ ...this.servers.addresses, databasePort }, DATABASE);
  }

  /** After the database was killed. */
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
    await this.database.end().catch(() => undefined);
    await this.troupe.stop();
    await this.redis.close();
    await this.databaseWire.close();
    await this.redlock.close();
    await this.director.close();
    await (await this.replicaStarted?.catch(() => undefined))?.stop();
    await this.servers.stop();
  }
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
