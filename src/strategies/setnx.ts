import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Settings } from '../config/settings.js';
import { ClientGone } from '../errors.js';
import { LockTimeout } from '../locks/errors.js';
import { type RedisClient } from '../locks/index.js';
import { type RedisConnection } from '../redis/redis.module.js';
import { type DeductOrder } from './strategy.js';

const LONGEST_PAUSE_MS = 25;

export interface SetnxHold {
  readonly key: string;
  readonly owner: string;
  readonly attempts: number;
  readonly waitedMs: number;
}

/** How a lock is given back: where the setnx strategies differ. */
export type Unlock = (client: RedisClient, hold: SetnxHold) => Promise<unknown>;

/** The textbook lock: SET NX PX until it works, then the work, then the unlock. */
export async function withSetnx<T>(
  redis: RedisConnection,
  { lockWaitMs, lockLeaseMs }: Pick<Settings, 'lockWaitMs' | 'lockLeaseMs'>,
  order: DeductOrder,
  unlock: Unlock,
  work: (hold: SetnxHold) => Promise<T>,
): Promise<T> {
  const hold = await take(redis, order, lockWaitMs, lockLeaseMs);
  try {
    return await work(hold);
  } finally {
    // What was sold is sold, whether or not Redis hears of it: then the lease ends the lock.
    await redis.run((client) => unlock(client, hold)).catch(() => undefined);
  }
}

async function take(
  redis: RedisConnection,
  order: DeductOrder,
  waitMs: number,
  leaseMs: number,
): Promise<SetnxHold> {
  const key = `lockstock:setnx:{goods:${order.goodsId}}`;
  const owner = randomUUID();
  const started = performance.now();
  for (let attempts = 1; ; attempts += 1) {
    // Expiry is part of the same command: a holder that dies between two commands would keep the lock for ever.
    const set = await redis.run((client) => client.set(key, owner, 'PX', leaseMs, 'NX'));
    const waitedMs = performance.now() - started;
    if (set === 'OK') return { key, owner, attempts, waitedMs };
    if (waitedMs >= waitMs) throw new LockTimeout(waitedMs);
    await sleep(Math.random() * LONGEST_PAUSE_MS);
    if (order.signal.aborted) throw new ClientGone();
  }
}
