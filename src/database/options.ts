import { type DataSourceOptions } from 'typeorm';
import { LedgerAndStock1760000000000 } from '../../migrations/1760000000000-ledger-and-stock.js';
import { Catalogue1760000000001 } from '../../migrations/1760000000001-catalogue.js';
import { Fencing1760000000002 } from '../../migrations/1760000000002-fencing.js';
import { RedisGate1760000000003 } from '../../migrations/1760000000003-redis-gate.js';
import { Segments1760000000004 } from '../../migrations/1760000000004-segments.js';
import { OneOwner1760000000005 } from '../../migrations/1760000000005-one-owner.js';
import { Secrets1760000000006 } from '../../migrations/1760000000006-secrets.js';
import { AppendOnlyRefusals1760000000007 } from '../../migrations/1760000000007-append-only-refusals.js';
import { StoredProcedure1760000000008 } from '../../migrations/1760000000008-stored-procedure.js';
import { readTls } from '../config/database-tls.js';

/**
 * How to connect to a database. The scheme of the URL selects the dialect: with `mysql` TypeORM would write statements
 * that MariaDB rejects. The query of the URL selects encryption.
 */
export function dataSourceOptions(given: string, poolSize: number): DataSourceOptions {
  const { url, tls } = readTls(given);
  return {
    type: new URL(url).protocol === 'mariadb:' ? 'mariadb' : 'mysql',
    url: url.replace(/^mariadb:/, 'mysql:'),
    ...(tls && { ssl: tls }),
    migrations: [
      LedgerAndStock1760000000000,
      Catalogue1760000000001,
      Fencing1760000000002,
      RedisGate1760000000003,
      Segments1760000000004,
      OneOwner1760000000005,
      Secrets1760000000006,
      AppendOnlyRefusals1760000000007,
      StoredProcedure1760000000008,
    ],
    migrationsTransactionMode: 'none',
    poolSize,
    connectTimeout: 3000,
    supportBigNumbers: true,
    // A BIGINT is a number while a number can hold it, and a string beyond 2^53.
    bigNumberStrings: false,
    timezone: 'Z',
    charset: 'utf8mb4',
    extra: { decimalNumbers: true, queueLimit: poolSize, enableKeepAlive: true },
  };
}
