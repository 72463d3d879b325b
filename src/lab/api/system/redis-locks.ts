import { type Redis } from 'ioredis';
import { type HeldLock } from './view.js';

/** The lock itself ends with its key in braces; what belongs to it has a name behind them. Stock keys have no name before. */
const LOCKS = 'lockstock:[ls]*:{*}';
const NAME = /^lockstock:(?:lock:)?(?<kind>[\w-]+):\{(?<key>.+)\}$/;
const SCAN_COUNT = 1000;
/** What a look may cost at most. */
const MAX_SCANS = 20;
const MAX_LOCKS = 100;

/** The locks that are held in this Redis. What ends while it is being looked at is left out. */
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
    for (const name of found) names.add(name);
    cursor = next;
    if (cursor === '0') break;
  }
  return [...names].slice(0, MAX_LOCKS).sort();
}

async function lookAt(client: Redis, name: string): Promise<HeldLock | undefined> {
  const { kind, key } = NAME.exec(name)?.groups ?? {};
  if (kind === undefined || key === undefined) return undefined;
  const [type, ttl] = await Promise.all([client.type(name), client.pttl(name)]);
  if (ttl === -2) return undefined;
  const held = await holder(client, name, type);
  return held && { kind, key, ttlMs: ttl === -1 ? null : ttl, ...held };
}

type Holder = Pick<HeldLock, 'owner' | 'token' | 'waiters'>;

/** How each kind of lock is kept stands at the head of its script in src/locks/redis. */
async function holder(client: Redis, name: string, type: string): Promise<Holder | undefined> {
  switch (type) {
    case 'string': {
      const value = await client.get(name);
      if (value === null) return undefined;
      const [owner = '', token = null] = value.split(':');
      // Who waits for a lock without a token asks again and again, and nobody knows of him.
      return { owner, token, waiters: token === null ? null : await subscribers(client, name) };
    }
    case 'hash': {
      const { '#token': token = null, ...fields } = await client.hgetall(name);
      const owner = Object.keys(fields).find((field) => !field.startsWith('#'));
      return owner === undefined ? undefined : { owner, token, waiters: await subscribers(client, name) };
    }
    case 'zset': {
      const [members, token, writers, readers] = await Promise.all([
        client.zrange(name, '0', '-1'),
        client.get(`${name}:fence`),
        client.zcard(`${name}:writers`),
        client.zcard(`${name}:readers`),
      ]);
      if (members.length === 0) return undefined;
      const owner = members.length === 1 ? (members[0] ?? '') : `${members.length} readers`;
      return { owner, token, waiters: writers + readers };
    }
    default:
      return undefined;
  }
}

/** Processes that have asked to be told when the lock is free. */
async function subscribers(client: Redis, name: string): Promise<number | null> {
  const [, number] = (await client.pubsub('NUMSUB', `${name}:free`)) as [string, unknown];
  return typeof number === 'number' ? number : null;
}
