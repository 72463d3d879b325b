import 'reflect-metadata';
import { readSettings, SettingsError } from './config/settings.js';
import { migrate, SchemaError } from './database/migrate.js';

/** Brings the schema up to date and ends, so that the instances need not have the owner's account. */
async function main(): Promise<void> {
  const { databaseUrl, migrationsUrl } = readSettings(process.env);
  if (!migrationsUrl)
    throw new SettingsError('MIGRATIONS_URL is not set: the account that owns the database.');
  const applied = await migrate(migrationsUrl, databaseUrl);
  console.log(applied.length > 0 ? `applied ${applied.join(', ')}` : 'the schema is up to date');
}

main().catch((error: unknown) => {
  const expected = error instanceof SettingsError || error instanceof SchemaError;
  console.error(expected ? error.message : error);
  process.exit(1);
});
