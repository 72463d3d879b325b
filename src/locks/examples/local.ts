/**
 * A mutex in one process, for data that only this process uses. It has the same interface as the locks over several
 * processes, so one can replace the other.
 *
 * Prints:
 *   without a lock: 1 of 10
 *   with a lock: 10 of 10
 */
import { LocalLock } from '../index.js';

const lock = new LocalLock();
let count = 0;
/** Other callers run between the read and the write. */
async function addOne(): Promise<void> {
  const before = count;
  await new Promise(setImmediate);
  count = before + 1;
}
const ten = Array.from({ length: 10 });

await Promise.all(ten.map(addOne));
console.log(`without a lock: ${count} of 10`);

count = 0;
await Promise.all(ten.map(() => lock.using('example:count', { waitMs: 1000 }, addOne)));
console.log(`with a lock: ${count} of 10`);
