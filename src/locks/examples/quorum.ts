/**
 * Redlock: a client holds the lock when a majority of independent masters has granted it. A minority may be down.
 *
 * Prints:
 *   one master is down: granted
 *   another process: LockTimeout
 *   released: true
 *   most masters are down: LockTimeout, because nodes failed
 */
import { connectRedis, LockTimeout, QuorumRedisLock } from '../index.js';

const urls =
  process.env['REDLOCK_URLS'] ?? 'redis://127.0.0.1:6379,redis://127.0.0.1:6380,redis://127.0.0.1:6381';
const masters = urls.split(',').map((url) => connectRedis(url, { lazyConnect: true }));
await Promise.all(masters.map((master) => master.connect()));

/** No server listens on this port. */
const connectToNothing = () =>
  connectRedis('redis://127.0.0.1:1', { lazyConnect: true }).on('error', () => undefined);
const [down, alsoDown] = [connectToNothing(), connectToNothing()];
const withOneDown = [...masters.slice(1), down];

const lock = new QuorumRedisLock(withOneDown);
const lease = await lock.acquire('example:quorum', { waitMs: 1000, leaseMs: 10_000 });
// The time until the answers came, and the possible drift of the clocks, are subtracted from the lease.
if (lease.remaining() < 10_000 * 0.99) console.log('one master is down: granted');

const other = new QuorumRedisLock(withOneDown);
await other.acquire('example:quorum', { waitMs: 0 }).catch((error: unknown) => {
  console.log(`another process: ${error instanceof Error ? error.constructor.name : String(error)}`);
});
console.log(`released: ${await lease.release()}`);

const fewer = new QuorumRedisLock([...masters.slice(0, 1), down, alsoDown]);
await fewer.acquire('example:quorum', { waitMs: 100 }).catch((error: unknown) => {
  if (!(error instanceof LockTimeout)) throw error;
  const why =
    error.cause instanceof AggregateError ? 'because nodes failed' : 'because another client has it';
  console.log(`most masters are down: LockTimeout, ${why}`);
});

for (const client of [...masters, down, alsoDown]) client.disconnect();
