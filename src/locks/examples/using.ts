/**
 * `using` holds the lock while its work runs. Here the lock is lost in the middle: the watchdog notices, `lease.signal` is
 * aborted, and everything that listens to the signal stops.
 *
 * Prints:
 *   part 1 is done
 *   part 2 is done
 *   Redis loses the lock, as in a failover
 *   stopped in part 3: The lock was lost before the work was finished.
 */
import { setTimeout as work } from 'node:timers/promises';
import { connectRedis, LockLost, RedisLock } from '../index.js';

const client = connectRedis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
await client.connect();
// Without a `leaseMs` the lease is renewed every third of this time, so a loss is noticed within a third.
const lock = new RedisLock(client, { watchdogMs: 600 });

let part = 1;
try {
  await lock.using('example:using', { waitMs: 1000 }, async ({ signal }) => {
    for (; part <= 3; part += 1) {
      if (part === 3) {
        await client.del('lock:{example:using}');
        console.log('Redis loses the lock, as in a failover');
      }
      // fetch, streams, timers and child processes accept a signal. A long computation calls `signal.throwIfAborted()`.
      await work(part === 3 ? 30_000 : 50, undefined, { signal });
      console.log(`part ${part} is done`);
    }
  });
} catch (error) {
  // Node's timers wrap the reason of the signal; fetch throws it as it is.
  const reason = error instanceof Error && error.cause instanceof LockLost ? error.cause : error;
  if (!(reason instanceof LockLost)) throw reason;
  console.log(`stopped in part ${part}: ${reason.message}`);
}

lock.close();
client.disconnect();
