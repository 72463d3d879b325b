import { checkpoint } from '../checkpoints/checkpoint.js';
import { type AcquireOptions, type Lease, type Lock } from '../locks/index.js';

/** Holds a lock around `work`, with the places before and after it where an experiment may stop the buyer. */
export async function holding<T>(
  lock: Lock,
  key: string,
  options: AcquireOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  await checkpoint('beforeLock');
  return lock.using(key, options, async (lease) => {
    try {
      await checkpoint('afterLock');
      return await work(lease);
    } finally {
      await checkpoint('beforeUnlock');
    }
  });
}
