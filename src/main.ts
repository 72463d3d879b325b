import 'reflect-metadata';
import { createApp } from './app.js';
import { armForExperiments } from './checkpoints/arm.js';
import { mistypedSettings, readSettings, SettingsError } from './config/settings.js';
import { observeLockCalls } from './coordination/observed-calls.js';
import { assertMigrated, migrate, SchemaError } from './database/migrate.js';
import { caughtUp } from './locks/index.js';

/** One instance: settings, schema, then serve. */
async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const { databaseUrl, migrationsUrl } = settings;
  const applied = migrationsUrl ? await migrate(migrationsUrl, databaseUrl) : [];
  if (!migrationsUrl) await assertMigrated(databaseUrl);
  const app = await createApp(settings);
  const { log } = app.getHttpAdapter().getInstance();
  for (const warning of mistypedSettings(process.env)) log.warn(warning);
  if (settings.checkpoints) {
    await armForExperiments(app, settings.checkpoints, caughtUp);
    observeLockCalls();
  }
  await app.listen(settings.port, settings.host);
  log.info({ migrations: applied }, 'ready');
}

main().catch((error: unknown) => {
  const expected = error instanceof SettingsError || error instanceof SchemaError;
  console.error(expected ? error.message : error);
  process.exit(1);
});
