import { type Redis } from 'ioredis';

/**
 * The keys that locks have left in Redis, without those that belong there: the counters of tokens, which must stay for
 * ever, and the notes of who released last, as long as they have an end. Nobody need wait for that end.
 */
export async function leftovers(redis: Redis, prefix: string): Promise<string[]> {
  const keys = (await redis.keys(`${prefix}*`)).filter((key) => !key.endsWith(':fence'));
  const ends = await Promise.all(
    keys.map(async (key) => key.endsWith(':released') && (await redis.pttl(key)) !== NO_END),
  );
  return keys.filter((_, index) => !ends[index]);
}

/** As PTTL says it. */
const NO_END = -1;
