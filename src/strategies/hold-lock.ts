import { ClientGone, EngineUnavailable } from '../errors.js';
import { type Lease, type Lock } from '../locks/index.js';
import { holding } from './holding.js';
import { type DeductOrder } from './strategy.js';

/** Where the lock is kept. */
export type LockEngine = 'redis' | 'etcd' | 'zookeeper';

/** Holds a lock around `work`, and says plainly when it could not be had. */
export async function holdLock<T>(
  engine: LockEngine,
  lock: Lock,
  key: string,
  waitMs: number,
  { signal }: DeductOrder,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const progress = { begun: false };
  try {
    return await holding(lock, key, { waitMs, signal }, (lease) => {
      progress.begun = true;
      return work(lease);
    });
  } catch (error) {
    // Before the work has begun, only the lock can have failed.
    throw progress.begun ? error : asLockFailure(engine, error, signal);
  }
}

/** The lock library says what it means with a `type`; anything else came from its engine not answering. */
function asLockFailure(engine: LockEngine, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new ClientGone();
  return error instanceof Error && 'type' in error ? error : new EngineUnavailable(engine);
}
