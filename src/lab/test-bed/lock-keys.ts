import { GOODS } from './test-bed.js';

/** The Redis key of the textbook SET NX lock on the goods. */
export const SETNX_LOCK = `lockstock:setnx:{goods:${GOODS}}`;

/** The Redis key of a lock of src/locks on the goods; `kind` is the part of the name that the service chooses. */
export function lockKey(kind: string): string {
  return `lockstock:lock:${kind}:{goods:${GOODS}}`;
}
