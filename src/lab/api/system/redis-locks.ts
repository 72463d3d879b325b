import { type Redis } from 'ioredis';
import { type HeldLock } from '../../../contract/lab-system.js';

const LOCKS = 'lockstock:[ls]*';
/**
 * The key of a lock ends with what it locks, in braces; keys of the package `redlock` have no braces. The counters and
 * queues of a lock have a further suffix, and are not locks.
 */
const NAME = /^lockstock:(?:lock:)?(?<kind>[\w-]+):(?:\{(?<braced>[^{}]+)\}|(?<bare>goods:\d+))$/;
/** `<client>:<attempt>` of a lock of `src/locks`, with a + while other processes wait. Other locks have a random value. */
const LIBRARY_OWNER = /^(?<client>.+):\d+\+?$/;
/** `<w|r>:<client>:<number>`, see src/locks/redis/queue.lua. */
const MEMBER = /^[wr]:(?<client>.+):\d+$/;
const SCAN_COUNT = 1000;
/** Limits the cost of one call. */
const MAX_SCANS = 20;
const MAX_LOCKS = 100;

/** The locks that are held in this Redis, without those that end during the call. */
export async function redisLocks(client: Redis): Promise<HeldLock[]> {
  const names = await lockNames(client);
  const locks = await Promise.all(names.map((name) => lookAt(client, name)));
  return locks.filter((lock) => lock !== undefined);
}

async function lockNames(client: Redis): Promise<string[]> {
  const names = new Set<string>();
  let cursor = '0';
  for (let scans = 0; scans < MAX_SCANS && names.size < MAX_LOCKS; scans += 1) {
    const [next, found] = await client.scan(cursor, 'MATCH', LOCKS, 'COUNT', SCAN_COUNT);
    for (const name of found) if (NAME.test(name)) names.add(name);
    cursor = next;
    if (cursor === '0') break;
  }
  return [...names].slice(0, MAX_LOCKS).sort();
}

async function lookAt(client: Redis, name: string): Promise<HeldLock | undefined> {
  const { kind, braced, bare } = NAME.exec(name)?.groups ?? {};
  const key = braced ?? bare;
  if (kind === undefined || key === undefined) return undefined;
  const [type, ttl] = await Promise.all([client.type(name), client.pttl(name)]);
  if (ttl === -2) return undefined;
  const held = await holder(client, name, type);
  return held && { kind, key, ttlMs: ttl === -1 ? null : ttl, ...held };
}

type Holder = Pick<HeldLock, 'owner' | 'token' | 'waiters'>;

/** The formats are described at the head of the scripts in src/locks/redis. */
async function holder(client: Redis, name: string, type: string): Promise<Holder | undefined> {
  // The counter is the highest token granted so far. Locks without tokens have none.
  const fence = () => client.get(`${name}:fence`);
  switch (type) {
    case 'string': {
      const [value, token] = await Promise.all([client.get(name), fence()]);
      if (value === null) return undefined;
      const owner = LIBRARY_OWNER.exec(value)?.groups?.['client'];
      // Waiters of other locks poll, so their number is unknown.
      if (owner === undefined) return { owner: value, token, waiters: null };
      return { owner, token, waiters: await subscribers(client, name) };
    }
    case 'zset': {
      const [members, token, writers, readers] = await Promise.all([
        client.zrange(name, '0', '-1'),
        fence(),
        client.zcard(`${name}:writers`),
        client.zcard(`${name}:readers`),
      ]);
      const [first] = members;
      if (first === undefined) return undefined;
      const owner = MEMBER.exec(first)?.groups?.['client'] ?? first;
      const shown = members.length === 1 ? owner : `${members.length} readers`;
      return { owner: shown, token, waiters: writers + readers };
    }
    default:
      return undefined;
  }
}

/** Processes that are subscribed to the release of the lock. */
async function subscribers(client: Redis, name: string): Promise<number | null> {
  const [, number] = (await client.pubsub('NUMSUB', `${name}:free`)) as [string, unknown];
  return typeof number === 'number' ? number : null;
}
