/** Another process that wants the same lock. Usage: lock-worker.ts <kind> <places> contend <n> | hold */
import { Redis } from 'ioredis';
import { LOCK_KINDS, type LockPlaces } from './lock-kinds.js';

const [kindName, placesText = '{}', what, count = '0'] = process.argv.slice(2);
const places = JSON.parse(placesText) as LockPlaces;
const kind = LOCK_KINDS.find(({ name }) => name === kindName);
if (!kind) throw new Error(`no lock ${String(kindName)}`);
const opened = kind.open(places);
const { lock } = opened;

/** Read, wait a turn, write back: whatever protects the counter is the lock and nothing else. */
async function contend(): Promise<void> {
  const counter = new Redis(places.redisUrl);
  let left = Number(count);
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await lock.using('contended', { waitMs: 50_000 }, async ({ token }) => {
        const value = Number(await counter.get(`${places.prefix}counter`));
        if (token !== undefined) await counter.rpush(`${places.prefix}tokens`, String(token));
        await counter.set(`${places.prefix}counter`, value + 1);
      });
    }
  };
  await Promise.all(Array.from({ length: 4 }, caller));
  await opened.close();
  await counter.quit();
}

async function hold(): Promise<void> {
  await lock.acquire('held by another process', { waitMs: 10_000 });
  process.stdout.write('held\n');
  setInterval(() => undefined, 1000);
}

void (what === 'hold' ? hold() : contend());
