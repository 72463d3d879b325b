import { checkpoint } from '../checkpoints/checkpoint.js';
import { type AcquireOptions, type Lease, type Lock } from '../locks/index.js';

/**
 * Holds a lock around `work`, with the places before and after it where an experiment may stop the buyer.
 *
 * Once `work` has ended, its outcome is the answer, whatever happens to the lock afterwards: a release that fails, or a
 * lease that turns out to be lost, does not undo a COMMIT. Work that must not commit without the lock gives the lease's
 * signal to its transaction.
 */
export async function holding<T>(
  lock: Lock,
  key: string,
  options: AcquireOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  await checkpoint('beforeLock');
  let ended: Promise<T> | undefined;
  try {
    return await lock.using(key, options, async (lease) => {
      await checkpoint('afterLock');
      const running = work(lease);
      try {
        return await running;
      } finally {
        ended = running;
        await checkpoint('beforeUnlock');
      }
    });
  } catch (error) {
    if (ended === undefined) throw error;
    return ended;
  }
}
