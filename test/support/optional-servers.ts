import { servers } from './test-shop.js';

const OPTIONAL = new Map([
  ['etcd', servers.etcdUrl],
  ['zookeeper', servers.zookeeperUrl],
]);

/** Whether this lock or strategy can be tested: its server may be optional and not installed. Then the test is reported as todo. */
export function isHere(name: string): boolean {
  const here = !OPTIONAL.has(name) || OPTIONAL.get(name) !== undefined;
  if (!here) test.todo(`${name}: not run, because its server is not installed`);
  return here;
}
