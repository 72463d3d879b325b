/**
 * etcd: a queue that a majority of servers remembers. One session stands for all leases of a lock object, and is their
 * watchdog. The token is the revision of the whole store, so it rises over all keys.
 *
 * Prints:
 *   one process holds it
 *   the other waits in the queue
 *   the first closes its session, and with it all that it holds
 *   the other holds it now, with a larger token: true
 */
import { EtcdLock } from '../index.js';

const url = process.env['ETCD_URL'] ?? 'http://127.0.0.1:2379';
const [here, there] = [new EtcdLock(url), new EtcdLock(url)];
const KEY = 'example:etcd';

const first = await here.acquire(KEY, { waitMs: 5000 });
console.log('one process holds it');
const waiting = there.acquire(KEY, { waitMs: 10_000 });
console.log('the other waits in the queue');

// As at the end of a process. After a crash the session would end by itself, `watchdogMs` after its last renewal.
await here.close();
if (first.signal.aborted) console.log('the first closes its session, and with it all that it holds');

const next = await waiting;
const larger = (next.token ?? 0n) > (first.token ?? 0n);
console.log(`the other holds it now, with a larger token: ${larger}`);
await next.release();
await there.close();
