import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../../src/lab/paths.js';

const SRC = join(ROOT, 'src');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** What a file imports: files of ours by their path, packages by their name. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const named = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => name);
  return named.map((name) => (name.startsWith('.') ? relative(ROOT, join(SRC, dirname(file), name)) : name));
}

function offences(inside: (file: string) => boolean, allowed: (imported: string) => boolean): string[] {
  return files
    .filter(inside)
    .flatMap((file) => importsOf(file).map((imported) => ({ file, imported })))
    .filter(({ imported }) => !allowed(imported))
    .map(({ file, imported }) => `${file} imports ${imported}`);
}

test('the lock library knows nothing of the project', () => {
  expect(
    offences(
      (file) => file.startsWith('locks/'),
      (name) =>
        name.startsWith('src/locks/') || !/^(src\/|@nestjs\/|fastify$|prom-client$|typeorm$)/.test(name),
    ),
  ).toEqual([]);
});

test('the service does not know the lab', () => {
  expect(
    offences(
      (file) => !file.startsWith('lab/'),
      (name) => !name.startsWith('src/lab/'),
    ),
  ).toEqual([]);
});
