/**
 * Many readers or one writer. A waiting writer blocks later readers, so that it gets its turn. A writer can become a reader,
 * with no other writer in between.
 *
 * Prints:
 *   two read together: 2
 *   a writer waits; a third reader must wait as well: LockTimeout
 *   the readers release, the writer writes
 *   downgraded: the writer is a reader now, beside another one: 2
 *   still no other writer: LockTimeout
 */
import { connectRedis, ReadWriteRedisLock } from '../index.js';

const client = connectRedis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
await client.connect();
const lock = new ReadWriteRedisLock(client);
const KEY = 'example:read-write';
const refused = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'granted',
    (error: unknown) => (error instanceof Error ? error.constructor.name : String(error)),
  );

const readers = [
  await lock.read.acquire(KEY, { waitMs: 1000 }),
  await lock.read.acquire(KEY, { waitMs: 1000 }),
];
console.log(`two read together: ${await lock.readers(KEY)}`);

const writing = lock.write.acquire(KEY, { waitMs: 10_000 });
const third = await refused(lock.read.acquire(KEY, { waitMs: 0 }));
console.log(`a writer waits; a third reader must wait as well: ${third}`);

for (const reader of readers) await reader.release();
const writer = await writing;
console.log('the readers release, the writer writes');

const reading = await lock.downgrade(writer);
const another = await lock.read.acquire(KEY, { waitMs: 1000 });
console.log(`downgraded: the writer is a reader now, beside another one: ${await lock.readers(KEY)}`);
console.log(`still no other writer: ${await refused(lock.write.acquire(KEY, { waitMs: 0 }))}`);

await reading.release();
await another.release();
lock.close();
client.disconnect();
