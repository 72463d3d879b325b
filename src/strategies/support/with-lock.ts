import { checkpoint } from '../../checkpoints/checkpoint.js';
import { ClientGone, EngineUnavailable } from '../../errors.js';
import { type Lease, type Lock, LockTimeout } from '../../locks/index.js';
import { type DeductOrder } from '../../stock/order.js';

/** A lock of the library, as the strategies use it: a key per goods, so that orders for other goods never wait. */
export interface GoodsLock {
  readonly lock: Lock;
  readonly waitMs: number;
  /** The server that keeps the lock. Absent when an error of the lock is reported as it is. */
  readonly engine?: 'redis' | 'etcd' | 'zookeeper';
}

/**
 * Runs `work` while holding the lock of the order's goods, or of one part of them.
 *
 * Once `work` has ended, its outcome is the answer, whatever happens to the lock afterwards: a release that fails, or a
 * lease that turns out to be lost, does not undo a COMMIT. Work that must not commit without the lock passes the lease's
 * signal to its transaction.
 */
export async function withLock<T>(
  { lock, waitMs, engine }: GoodsLock,
  { goodsId, signal }: DeductOrder,
  work: (lease: Lease) => Promise<T>,
  part?: number,
): Promise<T> {
  const key = part === undefined ? `goods:${goodsId}` : `goods:${goodsId}:${part}`;
  let running: Promise<T> | undefined;
  let ended: Promise<T> | undefined;
  await checkpoint('beforeLock');
  try {
    return await lock.using(key, { waitMs, signal }, async (lease) => {
      await checkpoint('afterLock');
      running = work(lease);
      try {
        return await running;
      } finally {
        ended = running;
        await checkpoint('beforeUnlock');
      }
    });
  } catch (error) {
    if (ended) return ended;
    // Before `work` has begun, only the lock can have failed.
    throw running || !engine ? error : lockFailure(engine, error, signal);
  }
}

/**
 * Runs `work` while holding the first free lock of the parts. When none is free, it waits for each in turn, so that a lock
 * holder that died or stopped delays an order for a short time only.
 */
export async function withFirstFreeLock<T>(
  goodsLock: GoodsLock,
  order: DeductOrder,
  parts: readonly number[],
  work: (part: number) => Promise<T>,
): Promise<T> {
  const progress = { begun: false };
  for (const waitMs of [0, goodsLock.waitMs / parts.length]) {
    for (const part of parts) {
      const begin = () => {
        progress.begun = true;
        return work(part);
      };
      try {
        return await withLock({ ...goodsLock, waitMs }, order, begin, part);
      } catch (error) {
        if (progress.begun || !(error instanceof LockTimeout)) throw error;
      }
    }
  }
  throw new LockTimeout(goodsLock.waitMs);
}

/** The errors of the lock library have a `type`. Any other error means that the server does not answer. */
function lockFailure(engine: NonNullable<GoodsLock['engine']>, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new ClientGone();
  return error instanceof Error && 'type' in error ? error : new EngineUnavailable(engine);
}
