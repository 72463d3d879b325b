import { type DataFolder } from './data-folder.js';
import { LabError } from './errors.js';
import { MIGRATE_PROGRAM, ROOT } from './paths.js';
import { Child } from './processes/child.js';
import { type ProcessReaper } from './processes/process-reaper.js';
import { migrationEnvironment, type ServerAddresses } from './servers.js';

export interface MigrationOptions {
  readonly folder: DataFolder;
  readonly reaper: ProcessReaper;
  readonly servers: ServerAddresses;
  readonly database: string;
}

/**
 * Brings the schema up to date before any instance starts, in a separate process. Only that process gets the owner's
 * account: a compromised instance cannot change the ledger.
 */
export async function migrateDatabase({
  folder,
  reaper,
  servers,
  database,
}: MigrationOptions): Promise<void> {
  const migration = new Child({
    name: 'the migration',
    command: process.execPath,
    args: [MIGRATE_PROGRAM],
    // TypeORM looks for the driver in the current folder, which may be any.
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', ...migrationEnvironment(servers, database) },
    logFile: folder.in('logs/migration.log'),
    reaper,
  });
  const how = await migration.exited;
  if (how !== 'exit code 0') {
    throw new LabError(`The migration of the database failed (${how}).\n${migration.logEnd()}`);
  }
}
