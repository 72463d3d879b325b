/**
 * Many readers or one writer. A writer who waits stops the readers who come after it, so that it gets its turn; a writer
 * who has written may go on as a reader, with no other writer in between.
 *
 * Prints:
 *   two read together: 2
 *   a writer waits; a third reader is not let in: LockTimeout
 *   the readers leave, the writer writes
 *   downgraded: it reads on, with another reader: 2
 *   still no other writer: LockTimeout
 */
import { connectRedis, ReadWriteRedisLock } from '../index.js';

const client = connectRedis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
await client.connect();
const lock = new ReadWriteRedisLock(client);
const KEY = 'example:read-write';
const refused = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'let in',
    (error: unknown) => (error instanceof Error ? error.constructor.name : String(error)),
  );

const readers = [
  await lock.read.acquire(KEY, { waitMs: 1000 }),
  await lock.read.acquire(KEY, { waitMs: 1000 }),
];
console.log(`two read together: ${await lock.readers(KEY)}`);

const writing = lock.write.acquire(KEY, { waitMs: 10_000 });
const third = await refused(lock.read.acquire(KEY, { waitMs: 0 }));
console.log(`a writer waits; a third reader is not let in: ${third}`);

for (const reader of readers) await reader.release();
const writer = await writing;
console.log('the readers leave, the writer writes');

const reading = await lock.downgrade(writer);
const another = await lock.read.acquire(KEY, { waitMs: 1000 });
console.log(`downgraded: it reads on, with another reader: ${await lock.readers(KEY)}`);
console.log(`still no other writer: ${await refused(lock.write.acquire(KEY, { waitMs: 0 }))}`);

await reading.release();
await another.release();
lock.close();
client.disconnect();
