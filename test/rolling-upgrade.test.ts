import { type Connection } from 'mysql2/promise';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { dataSourceOptions } from '../src/database/options.js';
import { labConnection, migrationEnvironment } from '../src/lab/servers.js';
import { servers } from './support/test-shop.js';

/**
 * The rule of CONTRIBUTING.md: the statements of the version before a migration still work after it. During a
 * rolling upgrade both versions write to one database.
 */
type Migration = new () => MigrationInterface;

const ALL = dataSourceOptions('mysql://user@host/lockstock', 1).migrations as Migration[];

interface Column {
  readonly name: string;
  readonly type: string;
  readonly key: string;
}

/** The statements of a version that knows the current columns of a table, all by name, as this project's SQL always does. */
class Writer {
  private constructor(
    private readonly table: string,
    private readonly columns: readonly Column[],
  ) {}

  static async forEachTable(connection: Connection): Promise<Writer[]> {
    const [rows] = await connection.query(
      `SELECT table_name AS \`table\`, column_name AS name, column_type AS type, column_key AS \`key\`
       FROM information_schema.columns
       WHERE table_schema = DATABASE() AND table_name <> 'migrations' AND extra NOT LIKE '%GENERATED%'
       ORDER BY table_name, ordinal_position`,
    );
    return [...grouped(rows as (Column & { table: string })[])].map(
      ([table, columns]) => new Writer(table, columns),
    );
  }

  /** Inserts a row, changes every column of it, and reads it. `nth` makes rows different. */
  async use(connection: Connection, nth: number): Promise<void> {
    const names = this.columns.map(({ name }) => `\`${name}\``).join(', ');
    const values = this.columns.map((column) => sample(column, nth));
    const marks = values.map(() => '?').join(', ');
    await connection.query(`INSERT INTO \`${this.table}\` (${names}) VALUES (${marks})`, values);
    const own = this.columns.filter(({ key }) => key === 'PRI').map(({ name }) => name);
    const isOwn = own.map((name) => `\`${name}\` = ?`).join(' AND ');
    const id = own.map((name) => values[this.columns.findIndex((column) => column.name === name)]);
    const changes = this.columns.map(({ name }) => `\`${name}\` = \`${name}\``).join(', ');
    await connection.query(`UPDATE \`${this.table}\` SET ${changes} WHERE ${isOwn}`, id);
    const [found] = await connection.query(`SELECT ${names} FROM \`${this.table}\` WHERE ${isOwn}`, id);
    expect(found).toHaveLength(1);
  }
}

function grouped(rows: readonly (Column & { readonly table: string })[]): Map<string, Column[]> {
  const tables = new Map<string, Column[]>();
  for (const row of rows) tables.set(row.table, [...(tables.get(row.table) ?? []), row]);
  return tables;
}

function sample({ type }: Column, nth: number): unknown {
  if (/^(tinyint|smallint|int|bigint|decimal)/.test(type)) return 50 + nth;
  if (type.startsWith('enum')) return /'([^']*)'/.exec(type)?.[1];
  if (/^(datetime|timestamp)/.test(type)) return `2026-01-01 00:00:${String(nth).padStart(2, '0')}`;
  // MariaDB stores JSON as text, and checks that it is valid.
  return /^(json|longtext)/.test(type) ? '{}' : `v${nth}`;
}

let databases = 0;

/** Applies all migrations but the last, writes as that version does, applies the last one, and writes in the same way. */
async function upgrade(migrations: readonly Migration[]): Promise<void> {
  databases += 1;
  const database = `lockstock_upgrade_${process.pid}_${databases}_${Date.now()}`;
  const lab = await labConnection(servers);
  await lab.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
  await lab.query(`USE ${database}`);
  const { MIGRATIONS_URL = '' } = migrationEnvironment(servers, database);
  const apply = async (known: readonly Migration[]) => {
    const source = await new DataSource({
      ...dataSourceOptions(MIGRATIONS_URL, 1),
      migrations: [...known],
    }).initialize();
    try {
      await source.runMigrations();
    } finally {
      await source.destroy();
    }
  };
  try {
    const old = migrations.slice(0, -1);
    await apply(old);
    const writers = await Writer.forEachTable(lab);
    for (const writer of writers) await writer.use(lab, 1);
    await apply(migrations);
    for (const writer of writers) await writer.use(lab, 2);
    // An instance of the old version can also start now.
    const source = await new DataSource({
      ...dataSourceOptions(MIGRATIONS_URL, 1),
      migrations: [...old],
    }).initialize();
    expect(await source.showMigrations()).toBe(false);
    await source.destroy();
  } finally {
    await lab.query(`DROP DATABASE ${database}`);
    await lab.end();
  }
}

test.each(ALL.slice(1).map((migration, index) => [migration.name, index + 2] as const))(
  'the version before %s works at the same time as the one after it',
  async (_, count) => {
    await upgrade(ALL.slice(0, count));
  },
);

function planted(sql: string): Migration {
  return class Planted1999999999999 implements MigrationInterface {
    name = 'Planted1999999999999';
    async up(runner: QueryRunner): Promise<void> {
      await runner.query(sql);
    }
    down(): Promise<void> {
      return Promise.resolve();
    }
  };
}

test.each([
  [
    'a column that must be given',
    'ALTER TABLE orders ADD COLUMN buyer INT NOT NULL',
    "doesn't have a default value",
  ],
  ['a column that is gone', 'ALTER TABLE goods DROP COLUMN version', "Unknown column 'version'"],
  [
    'a column that has another name',
    'ALTER TABLE runs CHANGE initial stock INT NOT NULL',
    "Unknown column 'initial'",
  ],
  ['a table that is gone', 'DROP TABLE refusals', "doesn't exist"],
  [
    'a value that is no longer taken',
    "ALTER TABLE orders MODIFY kind ENUM('RETURN') NOT NULL",
    'Data truncated',
  ],
])('%s is found', async (_, sql, error) => {
  await expect(upgrade([...ALL, planted(sql)])).rejects.toThrow(error);
});
