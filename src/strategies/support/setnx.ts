import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { checkpoint } from '../../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { ClientGone } from '../../errors.js';
import { LockTimeout } from '../../locks/errors.js';
import { type RedisClient } from '../../locks/index.js';
import { RedisConnection } from '../../redis/redis.module.js';
import { type Deduction, type DeductOrder } from '../../stock/order.js';
import { Stock } from '../../stock/stock.js';
import { releaseAfter } from './release-after.js';

const LONGEST_PAUSE_MS = 25;

export interface SetnxHold {
  readonly key: string;
  readonly owner: string;
  readonly attempts: number;
  readonly waitedMs: number;
}

/** How the lock is released: the one thing in which the setnx strategies differ. */
export type Unlock = (client: RedisClient, hold: SetnxHold) => Promise<unknown>;

export function setnxKey(goodsId: number): string {
  return `lockstock:setnx:{goods:${goodsId}}`;
}

/** The textbook lock: SET NX PX until it succeeds, then the unprotected sale, then the release. */
@Injectable()
export class Setnx {
  constructor(
    private readonly redis: RedisConnection,
    private readonly stock: Stock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async sell(order: DeductOrder, unlock: Unlock): Promise<Deduction> {
    await checkpoint('beforeLock');
    const hold = await this.take(order);
    return releaseAfter(
      async () => {
        await checkpoint('afterLock');
        return this.stock.sellUnprotected(order, hold);
      },
      async () => {
        await checkpoint('beforeUnlock');
        // If Redis does not answer, the lease ends the lock.
        await this.redis.run((client) => unlock(client, hold));
      },
    );
  }

  private async take(order: DeductOrder): Promise<SetnxHold> {
    const { lockWaitMs, lockLeaseMs } = this.settings;
    const key = setnxKey(order.goodsId);
    const owner = randomUUID();
    const started = performance.now();
    for (let attempts = 1; ; attempts += 1) {
      // Expiry is part of the same command: a holder that dies between two commands would keep the lock for ever.
      const set = await this.redis.run((client) => client.set(key, owner, 'PX', lockLeaseMs, 'NX'));
      const waitedMs = performance.now() - started;
      if (set === 'OK') return { key, owner, attempts, waitedMs };
      if (waitedMs >= lockWaitMs) throw new LockTimeout(waitedMs);
      await sleep(Math.random() * LONGEST_PAUSE_MS);
      if (order.signal.aborted) throw new ClientGone();
    }
  }
}
