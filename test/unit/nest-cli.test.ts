import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/lab/paths.js';

interface NestCli {
  readonly sourceRoot: string;
  readonly entryFile: string;
  readonly compilerOptions: { readonly tsConfigPath: string };
}

test('nest-cli.json names the sources, the entry file and the TypeScript project that exist', () => {
  const { sourceRoot, entryFile, compilerOptions } = JSON.parse(
    readFileSync(join(ROOT, 'nest-cli.json'), 'utf8'),
  ) as NestCli;
  const named = [sourceRoot, `${entryFile}.ts`, compilerOptions.tsConfigPath];
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
