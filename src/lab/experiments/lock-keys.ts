import { GOODS } from './stage.js';

/** Where the textbook lock of the goods is in Redis. */
export const SETNX_LOCK = `lockstock:setnx:{goods:${GOODS}}`;

/** Where a lock of the library is, by the kind under which the service keeps it. */
export function lockKey(kind: string): string {
  return `lockstock:lock:${kind}:{goods:${GOODS}}`;
}
