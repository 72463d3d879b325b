import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/lab/paths.js';

/** The strategies by their files: `src/strategies/<family>/<name>.ts`. Known before any server runs. */
export function strategyNames(): string[] {
  const root = join(ROOT, 'src/strategies');
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'support')
    .flatMap((family) => readdirSync(join(root, family.name)))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();
}
