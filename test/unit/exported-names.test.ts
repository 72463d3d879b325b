import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/lab/paths.js';

const DECLARED = /^export (?:abstract )?(?:class|interface|type|enum) (\w+)/gm;

/** Which modules of the folder export a class, interface, type or enum of each name. */
function exportersOf(folder: string): ReadonlyMap<string, readonly string[]> {
  const exporters = new Map<string, Set<string>>();
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  // The lock library can be packed on its own, so its names are its own.
  for (const file of files.filter((name) => name.endsWith('.ts') && !name.startsWith('locks/'))) {
    const path = join(folder, file);
    for (const [, name = ''] of readFileSync(join(ROOT, path), 'utf8').matchAll(DECLARED)) {
      exporters.set(name, (exporters.get(name) ?? new Set()).add(path));
    }
  }
  return new Map([...exporters].map(([name, paths]) => [name, [...paths]]));
}

test('no two modules export a type of the same name', () => {
  const shared = [...exportersOf('src')].filter(([, paths]) => paths.length > 1);
  expect(shared).toEqual([]);
});
