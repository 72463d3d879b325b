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
  /** False for a lock without an expiry. */
  readonly ends: boolean;
  /** Removes what the server would remove when the lease is over. */
  readonly end: () => Promise<unknown>;
}

const LOCKS = 'lockstock:*';
/** Beside a lock: its tokens, and the lists of its waiters. */
const NOT_A_LOCK = /:(fence|released|writers|readers|heartbeats)$/;
const IS_LOCK = /^lockstock:(lock|setnx):/;
const END_OF_ROW =
  'UPDATE lock_rows SET expires_at = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE name = ? AND owner = ?';

/** A service beside MySQL and Redis that keeps locks. */
export interface LeaseSource {
  held(): Promise<readonly HeldLease[]>;
  /** Removes what an earlier run has left. */
  clear(): Promise<void>;
  close(): void;
}

/** The leases of the buyers' locks, and their expiry: the lab removes what the server would remove. */
export class Leases {
  constructor(
    private readonly testBed: TestBed,
    private readonly clients: ReadonlyMap<string, Redis>,
    private readonly services: readonly LeaseSource[],
  ) {}

  async held(): Promise<readonly HeldLease[]> {
    const [rows, ...others] = await Promise.all([
      this.testBed.rows('SELECT name, owner FROM lock_rows WHERE expires_at > UTC_TIMESTAMP(3)'),
      ...[...this.clients].map(([server, client]) => heldIn(server, client)),
      ...this.services.map((service) => service.held()),
    ]);
    const ofRows = (rows as { name: string; owner: string }[]).map(({ name, owner }) => ({
      names: ['rows of lock_rows', 'locks of lock_rows'],
      owner,
      what: `the row ${name} of lock_rows`,
      ends: true,
      end: () => this.testBed.rows(END_OF_ROW, [name, owner]),
    }));
    return [...ofRows, ...others.flat()];
  }

  close(): void {
    for (const service of this.services) service.close();
  }

  async end(leases: readonly HeldLease[]): Promise<void> {
    await Promise.all(leases.map((lease) => lease.end()));
  }

  /** Removes what an earlier run has left. */
  async clear(): Promise<void> {
    await this.testBed.rows('DELETE FROM lock_rows');
    for (const service of this.services) await service.clear();
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
  const leases = keys.map(async (key): Promise<HeldLease[]> => {
    const ends = (await client.pttl(key)) > 0;
    const shared = { names: [`${server} ${key}`], what: `${key} on ${server}`, ends };
    // A string is its owner; a queue has its holders in a sorted set, with the end of their leases.
    if ((await client.type(key)) === 'zset') {
      const holders = await client.zrange(key, `${Date.now()}`, '+inf', 'BYSCORE');
      return holders.map((owner) => ({ ...shared, owner, end: () => client.zadd(key, 'XX', 1, owner) }));
    }
    const owner = await client.get(key);
    return owner === null ? [] : [{ ...shared, owner, end: () => client.del(key) }];
  });
  return (await Promise.all(leases)).flat();
}
