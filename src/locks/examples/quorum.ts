/**
 * Redlock: the lock is held by whom a majority of independent masters has granted it. A minority may be away.
 *
 * Prints:
 *   one master is away: granted
 *   another process: LockTimeout
 *   released: true
 *   most masters are away: LockTimeout, because nodes failed
 */
import { connectRedis, LockTimeout, QuorumRedisLock } from '../index.js';

const urls =
  process.env['REDLOCK_URLS'] ?? 'redis://127.0.0.1:6379,redis://127.0.0.1:6380,redis://127.0.0.1:6381';
const masters = urls.split(',').map((url) => connectRedis(url, { lazyConnect: true }));
await Promise.all(masters.map((master) => master.connect()));

/** At this port nobody answers. */
const nobody = () => connectRedis('redis://127.0.0.1:1', { lazyConnect: true }).on('error', () => undefined);
const [away, awayToo] = [nobody(), nobody()];
const withOneAway = [...masters.slice(1), away];

const lock = new QuorumRedisLock(withOneAway);
const lease = await lock.acquire('example:quorum', { waitMs: 1000, leaseMs: 10_000 });
// What the answers took, and what the clocks may differ by, is not promised to the holder.
if (lease.remaining() < 10_000 * 0.99) console.log('one master is away: granted');

const other = new QuorumRedisLock(withOneAway);
await other.acquire('example:quorum', { waitMs: 0 }).catch((error: unknown) => {
  console.log(`another process: ${error instanceof Error ? error.constructor.name : String(error)}`);
});
console.log(`released: ${await lease.release()}`);

const fewer = new QuorumRedisLock([...masters.slice(0, 1), away, awayToo]);
await fewer.acquire('example:quorum', { waitMs: 100 }).catch((error: unknown) => {
  if (!(error instanceof LockTimeout)) throw error;
  const why = error.cause instanceof AggregateError ? 'because nodes failed' : 'because somebody has it';
  console.log(`most masters are away: LockTimeout, ${why}`);
});

for (const client of [...masters, away, awayToo]) client.disconnect();
