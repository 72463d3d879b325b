// Builds the service, the lab and the page into dist/, unless dist/ was already built from exactly these sources.
// The new folder is made in .build/ and then takes the place of dist/. So an interrupted or failed build changes nothing,
// and two builds at once do not mix their files. What did not change is taken from the last build. See docs/adr/0034.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileInto, compilerKey } from './compile.js';
import { takeFolder } from './last-build.js';
import { finishPage } from './page.js';
import { servicePackages } from './service-packages.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
/** Builds in progress, and what tsc knows of the last check. */
const WORKSHOP = join(ROOT, '.build');
/** What a folder was built from. It is written last: a folder without it is not complete. */
const STAMP = '.build.json';
const SOURCES = ['src', 'migrations', 'web', 'bin', 'docs/transcripts', 'tsconfig.json', 'package-lock.json'];
/** Files that are not compiled but that the programs read at run time. */
const ASSETS = /^(src|migrations|web)\/.*\.(lua|sql|html|css|svg)$/;

/** @typedef {{id: string, sources: Record<string, string>, compiler: string, packages: string}} Stamp */

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

/** @param {import('node:crypto').BinaryLike[]} parts */
function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

/** The path of every source, and the hash of its content. */
function readSources() {
  return Object.fromEntries(
    SOURCES.flatMap(filesUnder).map((path) => [path, hashOf(readFileSync(join(ROOT, path)))]),
  );
}

/** @returns {Stamp | undefined} of the build that is in dist/ */
function lastStamp() {
  try {
    return JSON.parse(readFileSync(join(DIST, STAMP), 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {Record<string, string> | undefined} some @param {Record<string, string>} others */
const isSame = (some, others) => JSON.stringify(some) === JSON.stringify(others);

/** @param {Record<string, string>} sources */
const isBuiltFrom = (sources) => isSame(lastStamp()?.sources, sources);

export const isBuilt = () => isBuiltFrom(readSources());

/** Removes what builds left behind that were killed. Their folders begin with the number of the process. */
function removeAbandoned() {
  const folders = readdirSync(WORKSHOP).filter((name) => /^\d+-/.test(name));
  for (const name of folders.filter((name) => !isRunning(Number.parseInt(name, 10))))
    rmSync(join(WORKSHOP, name), { recursive: true, force: true });
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** @param {string} out @param {Stamp | undefined} last */
function bundlePackages(out, last) {
  // Instances work without the bundle, but start slowly.
  if (!existsSync(join(ROOT, 'node_modules/esbuild'))) {
    console.error('The packages are not bundled, because esbuild is not installed: npm ci installs it.');
    return '';
  }
  const key = hashOf(
    ...servicePackages(out),
    ...['package-lock.json', 'bin/bundle.js'].map((path) => readFileSync(join(ROOT, path))),
  );
  const folder = 'node_modules';
  if (last?.packages === key && takeFolder(join(DIST, folder), join(out, folder))) return key;
  rmSync(join(out, folder), { recursive: true, force: true });
  const done = spawnSync(process.execPath, [join(ROOT, 'bin/bundle.js'), out], { stdio: 'inherit' });
  if (done.status !== 0) throw new Error('The build failed in bin/bundle.js; the reason is above.');
  return key;
}

/** @param {string} out @param {Record<string, string>} sources @param {Stamp | undefined} last */
function buildInto(out, sources, last) {
  const compiler = compilerKey();
  compileInto(out, Object.keys(sources), (path) =>
    last?.compiler === compiler && last.sources[path] === sources[path] ? DIST : undefined,
  );
  const packages = bundlePackages(out, last);
  for (const path of Object.keys(sources).filter((path) => ASSETS.test(path)))
    cpSync(join(ROOT, path), join(out, path));
  finishPage(out);
  writeFileSync(join(out, STAMP), JSON.stringify({ id: basename(out), sources, compiler, packages }));
}

/** Puts the folder in the place of dist/. @param {string} out */
function publish(out) {
  const replaced = `${out}-replaced`;
  for (;;) {
    if (existsSync(DIST)) renameIfPossible(DIST, replaced);
    // Fails when another build published its folder since the line above.
    if (renameIfPossible(out, DIST)) break;
    rmSync(replaced, { recursive: true, force: true });
  }
  rmSync(replaced, { recursive: true, force: true });
}

/** @param {string} from @param {string} to */
function renameIfPossible(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
}

export function build() {
  mkdirSync(WORKSHOP, { recursive: true });
  removeAbandoned();
  const out = mkdtempSync(join(WORKSHOP, `${process.pid}-`));
  try {
    const sources = buildFromOneState(out);
    // Another build of the same sources may have been faster.
    if (!isBuiltFrom(sources)) publish(out);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Builds again when sources were edited meanwhile, or when another build replaced dist/ while files were taken from it. */
function buildFromOneState(/** @type {string} */ out) {
  for (;;) {
    const sources = readSources();
    const last = lastStamp();
    buildInto(out, sources, last);
    if (isSame(readSources(), sources) && lastStamp()?.id === last?.id) return sources;
    rmSync(out, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    build();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
