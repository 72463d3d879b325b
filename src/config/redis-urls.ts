import { z } from 'zod';
import { parseRedisUrl, type RedisAddress, RedisUrlError } from '../locks/redis/url.js';

/** One server, one that Sentinel watches, or a cluster. */
export const redisUrl = z.string().superRefine((text, context) => {
  const read = reading(text);
  if (read instanceof RedisUrlError) context.addIssue({ code: 'custom', message: read.reason });
});

/** Independent masters: replicas of each other would not give independent votes. */
export const redlockUrls = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim()))
  .superRefine((urls, context) => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
    };
    // Four masters tolerate one failure, as three do, and cost one more.
    if (urls.length < 3 || urls.length % 2 === 0) refuse('must list an odd number of masters, three or more');
    const masters = urls.map(reading);
    for (const master of masters) {
      if (master instanceof RedisUrlError) refuse(`must list Redis URLs, and one ${master.reason}`);
      else if (master.kind !== 'single') refuse('must list independent masters: redis:// or rediss:// only');
    }
    const names = masters.map((master) =>
      'node' in master ? `${master.node.host}:${master.node.port}` : master,
    );
    if (new Set(names).size < names.length) refuse('must not list a master twice: it would have two votes');
  });

function reading(url: string): RedisAddress | RedisUrlError {
  try {
    return parseRedisUrl(url);
  } catch (error) {
    if (error instanceof RedisUrlError) return error;
    throw error;
  }
}
