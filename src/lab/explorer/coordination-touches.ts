import { type Touches } from './model.js';

/** Calls that change the queue of a lock. Every other call reads it. */
const CHANGES = /^(create|mkdirp|setACL|put|delete)\b/;

/** What a call to etcd or ZooKeeper touches: the queue of one lock counts as one key. */
export function coordinationTouches(server: string, text: string, queues: readonly string[]): Touches {
  const names = queues.map((queue) => `${server} ${queue}`);
  return CHANGES.test(text) ? { reads: [], writes: names } : { reads: names, writes: [] };
}
