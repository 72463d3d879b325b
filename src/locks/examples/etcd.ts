/**
 * etcd: a queue that a majority of servers stores. One session per lock object keeps all its leases and is their watchdog.
 * The token is the revision of the whole store, so it increases across all keys.
 *
 * Prints:
 *   one process holds the lock
 *   the other process waits in the queue
 *   the first process closes its session, which releases all its locks
 *   the other process holds the lock, with a larger token: true
 */
import { EtcdLock } from '../index.js';

const url = process.env['ETCD_URL'] ?? 'http://127.0.0.1:2379';
const [here, there] = [new EtcdLock(url), new EtcdLock(url)];
const KEY = 'example:etcd';

const first = await here.acquire(KEY, { waitMs: 5000 });
console.log('one process holds the lock');
const waiting = there.acquire(KEY, { waitMs: 10_000 });
console.log('the other process waits in the queue');

// As at the end of a process. After a crash the session expires, `watchdogMs` after its last renewal.
await here.close();
if (first.signal.aborted) console.log('the first process closes its session, which releases all its locks');

const next = await waiting;
const larger = (next.token ?? 0n) > (first.token ?? 0n);
console.log(`the other process holds the lock, with a larger token: ${larger}`);
await next.release();
await there.close();
