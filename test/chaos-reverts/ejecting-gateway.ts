import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { eventually } from '../support/eventually.js';
import { type TestShop } from '../support/test-shop.js';

/** Has the gateway of the shop take an instance out of service after a failure, as nginx does without `max_fails=0`. */
export async function ejectInstances(shop: TestShop): Promise<void> {
  const path = shop.folder.in('nginx/nginx.conf');
  const text = readFileSync(path, 'utf8');
  if (!text.includes(' max_fails=0')) throw new Error(`${path} has no max_fails=0`);
  writeFileSync(path, text.replaceAll(' max_fails=0', ''));
  const { nginx } = shop.shop;
  const before = childrenOf(nginx.pid);
  nginx.signal('SIGHUP');
  await eventually('the gateway has new workers only', () => {
    const now = childrenOf(nginx.pid);
    return now.length > 0 && now.every((pid) => !before.includes(pid));
  });
}

function childrenOf(pid: number | undefined): string[] {
  const threads = `/proc/${pid ?? 0}/task`;
  return readdirSync(threads).flatMap((thread) =>
    readFileSync(`${threads}/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
}
