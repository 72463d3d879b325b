// Compiles the service, the lab and the page into dist/, unless dist/ was already built from exactly these sources.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { finishPage } from './page.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STAMP = join(ROOT, 'dist/.sources');
const SOURCES = ['src', 'migrations', 'web', 'bin', 'docs/transcripts', 'tsconfig.json', 'package-lock.json'];
/** Files that tsc does not copy but the programs read at run time. */
const ASSETS = /\.(lua|sql|html|css|svg)$/;

/** @param {string} path @returns {string[]} */
function filesUnder(path) {
  const full = join(ROOT, path);
  if (!existsSync(full)) return [];
  try {
    return readdirSync(full)
      .sort()
      .flatMap((name) => filesUnder(join(path, name)));
  } catch {
    return [path];
  }
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const path of SOURCES.flatMap(filesUnder))
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(ROOT, path)));
  return hash.digest('hex');
}

/** @param {string} program @param {string[]} args */
function run(program, ...args) {
  const done = spawnSync(process.execPath, [join(ROOT, program), ...args], { cwd: ROOT, stdio: 'inherit' });
  if (done.status !== 0) throw new Error(`The build failed in ${program}; the reason is above.`);
}

/** @param {string} project */
const compile = (project) => run('node_modules/typescript/bin/tsc', '-p', project, '--noCheck');

export function isBuilt() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint();
}

export function build() {
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  compile('tsconfig.json');
  compile('web');
  // Instances work without the bundle, but start slowly.
  if (existsSync(join(ROOT, 'node_modules/esbuild'))) run('bin/bundle.js');
  else console.error('The packages are not bundled, because esbuild is not installed: npm ci installs it.');
  for (const path of [...filesUnder('src'), ...filesUnder('migrations'), ...filesUnder('web')]) {
    if (ASSETS.test(path)) cpSync(join(ROOT, path), join(ROOT, 'dist', path));
  }
  finishPage();
  writeFileSync(STAMP, fingerprint());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    build();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
