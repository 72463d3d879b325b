/**
 * ZooKeeper: a queue of ephemeral sequential nodes. Each waiter watches the node before its own, so that a release wakes one
 * waiter. The token is the czxid of the node, which increases across all keys.
 *
 * Prints:
 *   one process holds the lock
 *   tried once: LockTimeout
 *   released: true
 *   the waiter holds the lock, with a larger token: true
 */
import { ZookeeperLock } from '../index.js';

const url = process.env['ZOOKEEPER_URL'] ?? 'zookeeper://127.0.0.1:2181';
const [here, there] = [new ZookeeperLock(url), new ZookeeperLock(url)];
const KEY = 'example:zookeeper';

const first = await here.acquire(KEY, { waitMs: 5000 });
console.log('one process holds the lock');
await there.acquire(KEY, { waitMs: 0 }).catch((error: unknown) => {
  console.log(`tried once: ${error instanceof Error ? error.constructor.name : String(error)}`);
});

const waiting = there.acquire(KEY, { waitMs: 10_000 });
console.log(`released: ${await first.release()}`);
const next = await waiting;
const larger = (next.token ?? 0n) > (first.token ?? 0n);
console.log(`the waiter holds the lock, with a larger token: ${larger}`);
await next.release();

await here.close();
await there.close();
