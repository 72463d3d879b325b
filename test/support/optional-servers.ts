import { servers } from './test-shop.js';

const OPTIONAL = new Map([
  ['etcd', servers.etcdUrl],
  ['zookeeper', servers.zookeeperUrl],
]);

/**
 * Can this lock or strategy be tested? Only where a server that the lab can do without is not installed it cannot;
 * then the run says so at its beginning, and a test that is not run says so in its place.
 */
export function isHere(name: string): boolean {
  const here = !OPTIONAL.has(name) || OPTIONAL.get(name) !== undefined;
  if (!here) test.todo(`${name}: not run, because its server is not installed`);
  return here;
}
