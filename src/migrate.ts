import 'reflect-metadata';
import { readSettings } from './config/settings.js';
import { migrate } from './database/migrate.js';

/** Brings the schema up to date and ends, so that the instances need not have the owner's account. */
const { databaseUrl, migrationsUrl } = readSettings(process.env);
if (!migrationsUrl) throw new Error('MIGRATIONS_URL is not set');
const applied = await migrate(migrationsUrl, databaseUrl);
console.log(applied.length > 0 ? `applied ${applied.join(', ')}` : 'the schema is up to date');
