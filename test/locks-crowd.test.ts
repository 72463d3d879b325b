import { setTimeout as sleep } from 'node:timers/promises';
import { type Lock, type RedisClient, RedisLock, ReentrantRedisLock } from '../src/locks/index.js';
import { eventually } from './support/eventually.js';
import { LockRedis } from './support/lock-redis.js';

const redis = LockRedis.ofEachTest();
const PATIENT = { waitMs: 30_000 };

type RedisLockKind = new (client: RedisClient) => Lock & { close(): void };
const KINDS: readonly (readonly [string, RedisLockKind])[] = [
  ['RedisLock', RedisLock],
  ['ReentrantRedisLock', ReentrantRedisLock],
];

describe.each(KINDS)('many waiters for the same %s', (_, Kind) => {
  test('cost Redis one subscription and a few commands, and are served in the order of their arrival', async () => {
    const held = await redis.lock(Kind).acquire('hot', PATIENT);
    const client = redis.client();
    const asked = jest.spyOn(client, 'evalsha');
    const lock = redis.lock(Kind, {}, client);
    const served: number[] = [];
    const tokens: bigint[] = [];
    const crowd = Array.from({ length: 50 }, (_, caller) =>
      lock.using('hot', PATIENT, ({ token = 0n }) => {
        tokens.push(token);
        return Promise.resolve(served.push(caller));
      }),
    );
    await eventually('its process listens', async () => (await redis.channels()).length === 1);
    const [, listeners] = await redis.lab.pubsub('NUMSUB', ...(await redis.channels()));
    expect(listeners).toBe(1);
    await held.release();
    await Promise.all(crowd);
    expect(served).toEqual(Array.from({ length: 50 }, (_, caller) => caller));
    expect(tokens.every((token, turn) => turn === 0 || token > (tokens[turn - 1] as bigint))).toBe(true);
    // Fifty waiters that acquire and release with a command each would send a hundred.
    expect(asked.mock.calls.length).toBeLessThan(30);
  });

  test('that never end do not starve other processes', async () => {
    const [crowded, lonely] = [redis.lock(Kind), redis.lock(Kind)];
    let served = false;
    let turns = 0;
    const comeAgain = async () => {
      while (!served) {
        await crowded.using('hot', PATIENT, () => sleep(1));
        turns += 1;
      }
    };
    const crowd = Array.from({ length: 10 }, comeAgain);
    await eventually('the crowd is at it', () => turns > 40);
    const lease = await lonely.acquire('hot', PATIENT).finally(() => (served = true));
    expect(lease.attempts).toBeGreaterThan(1);
    expect(await lease.release()).toBe(true);
    await Promise.all(crowd);
  });
});
