import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { DEDUCT_STOCK } from '../../migrations/1760000000008-stored-procedure.js';
import { isConnectionLost, mysqlErrno } from './mysql-errors.js';
import { dataSourceOptions } from './options.js';
import { Sql } from './sql.js';

const MIGRATION_LOCK = 'lockstock:migrations';
const LOCK_SECONDS = 60;
const NOT_ALLOWED = [1044, 1142, 1227, 1410];
/** MySQL's answer to a REVOKE of a right that the account does not have; MariaDB accepts such a REVOKE. */
const NOT_GRANTED = 1147;

export class SchemaError extends Error {}

/** What the service's own account may do, table by table. Ledger and refusals can only grow: no UPDATE, no DELETE. */
const GRANTS: Readonly<Record<string, string>> = {
  goods: 'SELECT, UPDATE',
  orders: 'SELECT, INSERT',
  runs: 'SELECT, INSERT',
  refusals: 'SELECT, INSERT',
  lock_rows: 'SELECT, INSERT, UPDATE, DELETE',
  idempotent_log: 'SELECT, INSERT',
  order_numbers: 'SELECT, UPDATE',
  stock_segments: 'SELECT, INSERT, UPDATE',
  refused_orders: 'SELECT, INSERT',
  secrets: 'SELECT',
  migrations: 'SELECT',
};

/** Procedures that the service may call. */
const EXECUTABLE = ['deduct_stock'];

/** What earlier versions had granted. */
const REVOKED: Readonly<Record<string, string>> = { refusals: 'UPDATE' };

/** A server that is still starting gets this long before the instance gives up. */
const PATIENCE_MS = 30_000;

export async function connectPatiently(source: DataSource): Promise<DataSource> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await source.initialize();
    } catch (error) {
      if (!isConnectionLost(error) || performance.now() > giveUpAt) {
        throw new SchemaError(`Cannot connect to the database: ${(error as Error).message}`);
      }
      await sleep(250);
    }
  }
}

/**
 * Brings the schema, the catalogue and the service's grants up to date with the owner's account. When several
 * instances start together, a named lock of the database lets one of them do it while the others wait.
 */
export async function migrate(ownerUrl: string, serviceUrl: string): Promise<string[]> {
  const source = await connectPatiently(new DataSource(dataSourceOptions(ownerUrl, 3)));
  const lock = source.createQueryRunner();
  try {
    const answer = await new Sql(lock).one<{ got: number | null }>('SELECT GET_LOCK(?, ?) AS got', [
      MIGRATION_LOCK,
      LOCK_SECONDS,
    ]);
    if (Number(answer?.got) !== 1)
      throw new SchemaError(`Another instance has been migrating for over ${LOCK_SECONDS} s.`);
    const done = await source.runMigrations();
    await createProcedures(source);
    await allowService(source, serviceUrl);
    await lock.query('SELECT RELEASE_LOCK(?)', [MIGRATION_LOCK]);
    return done.map((migration) => migration.name);
  } finally {
    await lock.release();
    await source.destroy();
  }
}

/**
 * A database that was restored from a dump has the migration, but not its procedure. A procedure of another owner, whose
 * account may have been dropped, is replaced by one of this owner.
 */
async function createProcedures(source: DataSource): Promise<void> {
  const foreign = await source.query<{ name: string }[]>(
    `SELECT routine_name AS name FROM information_schema.routines
     WHERE routine_schema = DATABASE() AND routine_name IN (?) AND definer <> CURRENT_USER()`,
    [EXECUTABLE],
  );
  for (const { name } of foreign) await source.query(`DROP PROCEDURE IF EXISTS \`${name}\``);
  await source.query(DEDUCT_STOCK);
}

async function allowService(source: DataSource, serviceUrl: string): Promise<void> {
  const { username, password, pathname } = new URL(serviceUrl);
  const user = decodeURIComponent(username);
  const database = pathname.slice(1);
  if (source.options.type === 'mysql' || source.options.type === 'mariadb') {
    if (user === decodeURIComponent(new URL(source.options.url ?? '').username)) return;
  }
  try {
    const account = [user, decodeURIComponent(password)];
    await source.query(`CREATE USER IF NOT EXISTS ?@'%' IDENTIFIED BY ?`, account);
    // It may exist from an earlier start, with an earlier password.
    await source.query(`ALTER USER ?@'%' IDENTIFIED BY ?`, account);
  } catch (error) {
    // Where the owner may not create accounts, the account exists already.
    if (!NOT_ALLOWED.includes(mysqlErrno(error) ?? 0)) throw error;
  }
  for (const [table, rights] of Object.entries(GRANTS)) {
    await source.query(`GRANT ${rights} ON \`${database}\`.\`${table}\` TO ?@'%'`, [user]);
  }
  for (const procedure of EXECUTABLE) {
    await source.query(`GRANT EXECUTE ON PROCEDURE \`${database}\`.\`${procedure}\` TO ?@'%'`, [user]);
  }
  for (const [table, rights] of Object.entries(REVOKED)) {
    await source
      .query(`REVOKE ${rights} ON \`${database}\`.\`${table}\` FROM ?@'%'`, [user])
      .catch((error: unknown) => {
        if (mysqlErrno(error) !== NOT_GRANTED) throw error;
      });
  }
}

/** For an instance without the owner's account: refuse to serve on a schema that is behind. */
export async function assertMigrated(serviceUrl: string): Promise<void> {
  const source = await connectPatiently(new DataSource(dataSourceOptions(serviceUrl, 1)));
  try {
    const pending = await source.showMigrations().catch(() => true);
    if (pending) {
      throw new SchemaError(
        'The database schema is behind. Start one instance with MIGRATIONS_URL set to bring it up to date.',
      );
    }
  } finally {
    await source.destroy();
  }
}
