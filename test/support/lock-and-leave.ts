/** Takes a lock if it can be had, closes, and must then end by itself. Usage: lock-and-leave.ts etcd|zookeeper <url> */
import { EtcdLock, ZookeeperLock } from '../../src/locks/index.js';

const [kind, url = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const lock = kind === 'etcd' ? new EtcdLock(url) : new ZookeeperLock(url);
  const outcomes = await Promise.allSettled([
    lock.using('leaving', { waitMs: 20_000 }, () => Promise.resolve('held')),
    lock.using('leaving', { waitMs: 20_000 }, () => Promise.resolve('held')),
  ]);
  process.stdout.write(
    outcomes
      .map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as Error).message))
      .join('|'),
  );
  await lock.close();
}

void main();
