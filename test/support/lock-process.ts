/** A process that uses a queued lock, for tests that count processes or kill one. Usage: lock-process.ts <job> */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { FairRedisLock, type Lock, type QueueOptions, ReadWriteRedisLock } from '../../src/locks/index.js';

export interface Job {
  readonly act: 'count' | 'hold';
  readonly kind: 'fair' | 'read' | 'write';
  readonly key: string;
  readonly url: string;
  readonly options: QueueOptions;
}

const PATIENT = { waitMs: 50_000 };
const ADDITIONS = 50;

async function main({ act, kind, key, url, options }: Job): Promise<void> {
  const client = new Redis(url);
  const lock: Lock =
    kind === 'fair' ? new FairRedisLock(client, options) : new ReadWriteRedisLock(client, options)[kind];
  if (act === 'hold') {
    await lock.acquire(key, PATIENT);
    await sleep(PATIENT.waitMs);
  }
  const counter = `${String(options.prefix)}count`;
  // A read and a write that are not one step: without a lock around them, additions get lost.
  const addOne = async () => {
    await client.set(counter, Number(await client.get(counter)) + 1);
  };
  for (let i = 0; i < ADDITIONS; i += 1) await lock.using(key, PATIENT, addOne);
}

void main(JSON.parse(process.argv[2] ?? '') as Job).then(() => process.exit());
