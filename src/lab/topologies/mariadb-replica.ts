import { type Connection, createConnection } from 'mysql2/promise';
import { type DataFolder } from '../data-folder.js';
import { LAB_ACCOUNT, Mariadb } from '../engines/mariadb.js';
import { type Child } from '../processes/child.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { type ServerAddresses } from '../servers.js';

export interface MariadbReplicaOptions {
  readonly folder: DataFolder;
  readonly reaper: ProcessReaper;
  /** The addresses of the primary. */
  readonly addresses: ServerAddresses;
  readonly port: number;
}

const CATCH_UP_S = 10;

/** A replica of the MariaDB, with a lag that the lab controls. */
export class MariadbReplica {
  private constructor(
    private readonly child: Child,
    private readonly connection: Connection,
  ) {}

  static async start({ folder, reaper, addresses, port }: MariadbReplicaOptions): Promise<MariadbReplica> {
    const { labPassword, ownerPassword } = addresses.secrets;
    const home = folder.in('mariadb-replica');
    const server = new Mariadb({
      folder: home,
      socketFolder: folder.socketFolder(reaper),
      logFile: folder.in('logs/mariadb-replica.log'),
      port,
      ownerPassword,
      labPassword,
      replication: { serverId: 2, primary: false },
      reaper,
    });
    const child = await server.launch();
    const connection = await createConnection({
      host: '127.0.0.1',
      port,
      user: LAB_ACCOUNT,
      password: labPassword,
    });
    await connection.query(
      `CHANGE MASTER TO master_host = '127.0.0.1', master_port = ?, master_user = ?, master_password = ?,
                        master_use_gtid = slave_pos`,
      [addresses.databasePort, LAB_ACCOUNT, labPassword],
    );
    await connection.query('START SLAVE');
    return new MariadbReplica(child, connection);
  }

  /** Waits until the replica has applied the primary's log up to this position. */
  async caughtUp(position: string): Promise<boolean> {
    const [rows] = await this.connection.query('SELECT MASTER_GTID_WAIT(?, ?) AS late', [
      position,
      CATCH_UP_S,
    ]);
    return (rows as { late: number }[])[0]?.late === 0;
  }

  /** From now on the replica receives changes but does not apply them. */
  async stopApplying(): Promise<void> {
    await this.connection.query('STOP SLAVE SQL_THREAD');
  }

  async goOn(): Promise<void> {
    await this.connection.query('START SLAVE SQL_THREAD');
  }

  /** Whether the replica receives changes from the primary, and whether it applies them. */
  async status(): Promise<{ readonly listens: string; readonly applies: string }> {
    const [rows] = await this.connection.query('SHOW SLAVE STATUS');
    const [status] = rows as { Slave_IO_Running: string; Slave_SQL_Running: string }[];
    return { listens: status?.Slave_IO_Running ?? '?', applies: status?.Slave_SQL_Running ?? '?' };
  }

  async rows(sql: string, parameters: readonly unknown[]): Promise<object[]> {
    const [rows] = await this.connection.query(sql, [...parameters]);
    return rows as object[];
  }

  async stop(): Promise<void> {
    this.connection.destroy();
    await this.child.stop();
  }
}
