import { type Redis } from 'ioredis';
import { type TestBed } from '../test-bed/test-bed.js';
import { type SteppedBuyer } from './stepped-buyer.js';

/** A lease that a server has granted. */
export interface HeldLease {
  /** The names in `Touches` of what ends with it. */
  readonly names: readonly string[];
  /** What identifies the holder: the value of the lock. */
  readonly owner: string;
  readonly what: string;
}

const LOCKS = 'lockstock:*';
/** Beside a lock: its tokens, and the lists of its waiters. */
const NOT_A_LOCK = /:(fence|released|writers|readers|heartbeats)$/;
const IS_LOCK = /^lockstock:(lock|setnx):/;

/** The leases of the buyers' locks, and their expiry: the lab removes what the server would remove. */
export class Leases {
  constructor(
    private readonly testBed: TestBed,
    private readonly clients: ReadonlyMap<string, Redis>,
  ) {}

  async held(): Promise<readonly HeldLease[]> {
    const [rows, ...inRedis] = await Promise.all([
      this.testBed.rows('SELECT name, owner FROM lock_rows'),
      ...[...this.clients].map(([server, client]) => heldIn(server, client)),
    ]);
    const ofRows = (rows as { name: string; owner: string }[]).map(({ name, owner }) => ({
      names: ['rows of lock_rows', 'locks of lock_rows'],
      owner,
      what: `the row ${name} of lock_rows`,
    }));
    return [...ofRows, ...inRedis.flat()];
  }

  /** Ends all of them at once: they belong to one holder. */
  async end(): Promise<void> {
    await this.testBed.rows('UPDATE lock_rows SET expires_at = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND');
    await Promise.all([...this.clients.values()].map(endIn));
  }

  /** Removes what an earlier run has left. */
  async clear(): Promise<void> {
    await this.testBed.rows('DELETE FROM lock_rows');
    await Promise.all(
      [...this.clients.values()].map(async (client) => {
        const keys = (await client.keys(LOCKS)).filter((key) => IS_LOCK.test(key));
        if (keys.length > 0) await client.del(...keys);
      }),
    );
  }
}

/** The buyer whose commands have named this owner. */
export function holderOf({ owner }: HeldLease, buyers: readonly SteppedBuyer[]): SteppedBuyer | undefined {
  const name = owner.replace(/\+$/, '');
  return buyers.find(({ sent }) =>
    sent.some(({ text, values }) => text.includes(name) || values.some((value) => value === name)),
  );
}

async function locksIn(client: Redis): Promise<string[]> {
  const keys = await client.keys(LOCKS);
  return keys.filter((key) => IS_LOCK.test(key) && !NOT_A_LOCK.test(key));
}

async function heldIn(server: string, client: Redis): Promise<HeldLease[]> {
  const keys = await locksIn(client);
  return Promise.all(
    keys.map(async (key) => ({
      names: [`${server} ${key}`],
      owner: (await ownersIn(client, key))[0] ?? '',
      what: `${key} on ${server}`,
    })),
  );
}

/** A string is its owner; a queue has its holders in a sorted set, with the end of their leases. */
async function ownersIn(client: Redis, key: string): Promise<string[]> {
  return (await client.type(key)) === 'zset'
    ? client.zrange(key, '0', '-1')
    : [(await client.get(key)) ?? ''];
}

async function endIn(client: Redis): Promise<void> {
  for (const key of await locksIn(client)) await client.del(key);
}
