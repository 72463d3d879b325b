/**
 * What a strategy outside of this project is written with: it imports all of this from `lockstock`. docs/try.md describes it,
 * and `npx lockstock new` writes a file that uses it.
 */
export { checkpoint } from '../checkpoints/checkpoint.js';
export { SETTINGS, type Settings } from '../config/settings.js';
export { Database } from '../database/database.js';
export { type Sql } from '../database/sql.js';
export * from '../locks/index.js';
export { RedisConnection } from '../redis/redis.module.js';
export { Ledger } from '../stock/ledger.js';
export { readStock, Stock, whyNotTaken } from '../stock/stock.js';
export { retryConflicts } from '../stock/retry-conflicts.js';
export { type Deduction, type DeductOrder, type DeductStrategy, Strategy } from './strategy.js';
export { GoodsLocks } from './support/goods-locks.js';
export { withLock } from './support/with-lock.js';
export { Inject } from '@nestjs/common';
