import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../src/lab/paths.js';

/**
 * The oldest version that may run at the same time as this one (docs/operations.md). A change that does not work beside it names its
 * own commit's parent here, and says so in the changelog.
 */
const OLDEST_BESIDE = '4a5bb51f74b7914e95a54a825e0381d9c5cadcc8';

const COMPILED = /\.ts$/;
const ASSETS = /\.(lua|sql)$/;

/** The folder of that version, compiled; or why it cannot be had. The dependencies are those of this version. */
export function earlierVersion(): { readonly root: string } | { readonly missing: string } {
  const root = mkdtempSync(join(tmpdir(), 'lockstock-earlier-'));
  try {
    const archive = join(root, 'sources.tar');
    const git = ['-C', ROOT, 'archive', '--output', archive, OLDEST_BESIDE];
    execFileSync('git', [...git, 'package.json', 'deploy', 'src', 'migrations'], { stdio: 'pipe' });
    execFileSync('tar', ['-xf', archive, '-C', root]);
  } catch (error) {
    return { missing: `commit ${OLDEST_BESIDE} is not in this copy (${String(error).split('\n')[0] ?? ''})` };
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const { compilerOptions } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) =>
    readFileSync(path, 'utf8'),
  ).config as { compilerOptions: object };
  // A file that is compiled alone cannot look into package.json for its kind of module.
  const own = { module: 'es2022', moduleResolution: 'bundler', sourceMap: false };
  const { options } = ts.convertCompilerOptionsFromJson({ ...compilerOptions, ...own }, ROOT);
  for (const path of filesUnder(root, 'src').concat(filesUnder(root, 'migrations'))) {
    const out = join(root, 'dist', path.replace(COMPILED, '.js'));
    mkdirSync(dirname(out), { recursive: true });
    if (ASSETS.test(path)) cpSync(join(root, path), out);
    if (COMPILED.test(path)) {
      const source = readFileSync(join(root, path), 'utf8');
      const fileName = join(root, path);
      writeFileSync(out, ts.transpileModule(source, { compilerOptions: options, fileName }).outputText);
    }
  }
  return { root };
}

/** Without the lab: the service does not import it. */
function filesUnder(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(root, 'src/lab')))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
