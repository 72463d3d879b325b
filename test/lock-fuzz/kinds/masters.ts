import { type Lock, QuorumRedisLock, type RedisClient, RedlockAdapter } from '../../../src/locks/index.js';
import { type FuzzKind } from './kind.js';
import { openRedis } from './redis-client.js';

interface Options {
  readonly prefix: string;
  readonly watchdogMs: number;
}

/** On independent masters that decide by majority. */
function mastersKind(
  name: string,
  make: (masters: readonly RedisClient[], options: Options) => Lock & { close(): void },
  failedAttemptsStay = false,
): FuzzKind {
  return {
    name,
    engine: 'masters',
    tokens: false,
    connectionIsLease: false,
    failedAttemptsStay,
    features: { watchdogMs: [400, 600], leases: true },
    open: async (places, settings) => {
      const masters = await Promise.all(places.masterUrls.map((url) => openRedis(url, places, settings)));
      const lock = make(masters, { prefix: places.prefix, watchdogMs: settings.watchdogMs });
      return {
        lock: () => lock,
        name: (key) => key,
        close: () => {
          lock.close();
          for (const master of masters) master.disconnect();
          return Promise.resolve();
        },
      };
    },
  };
}

export const MASTERS_KINDS: readonly FuzzKind[] = [
  mastersKind('redis quorum', (masters, options) => new QuorumRedisLock(masters, options)),
  // The package does not say under which name an attempt failed, so its release cannot be repeated.
  mastersKind('redlock package', (masters, options) => new RedlockAdapter(masters, options), true),
];
