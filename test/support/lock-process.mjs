// A process that uses a lock, for tests that count processes or kill one. It takes the compiled library.
import { Redis } from 'ioredis';
import { FairRedisLock, ReadWriteRedisLock } from '../../dist/src/locks/index.js';

const { act, key, url, prefix, times, ...options } = JSON.parse(process.argv[2]);
const client = new Redis(url);
const fair = new FairRedisLock(client, { prefix, ...options });
const readWrite = new ReadWriteRedisLock(client, { prefix, ...options });
const waitMs = 50_000;

/** A read and a write that are not one step: without a lock around them, additions get lost. */
async function addOne() {
  const count = Number(await client.get(`${prefix}count`));
  await client.set(`${prefix}count`, count + 1);
}

const acts = {
  async countFairly() {
    for (let i = 0; i < times; i += 1) await fair.using(key, { waitMs }, addOne);
  },
  async countByWriting() {
    for (let i = 0; i < times; i += 1) await readWrite.write.using(key, { waitMs }, addOne);
  },
  async waitFairly() {
    await fair.acquire(key, { waitMs });
  },
  async waitToWrite() {
    await readWrite.write.acquire(key, { waitMs });
  },
  async read() {
    await readWrite.read.acquire(key, { waitMs });
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  },
};

await acts[act]();
process.exit();
