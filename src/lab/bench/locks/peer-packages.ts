import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../paths.js';
import { terminal } from '../../terminal.js';

const run = promisify(execFile);
const SOURCE = join(ROOT, 'src/locks/bench/peers');
const FILES = ['package.json', 'package-lock.json', '.npmrc', 'load.mjs'];
/** Few retries: without a network the measurements should begin soon. */
const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0'];
const INSTALL_WITHIN_MS = 120_000;

/**
 * The folder with the lock packages that the benchmark compares with. They are installed when they are needed first, and not
 * with the project, because nothing else uses them. Undefined when they cannot be installed; the benchmark says so.
 */
export async function peerPackages(
  stop: AbortSignal,
  cache = join(ROOT, 'node_modules/.cache'),
): Promise<string | undefined> {
  const hash = createHash('sha256')
    .update(readFileSync(join(SOURCE, 'package-lock.json')))
    .digest('hex');
  const folder = join(cache, `lock-peers-${hash.slice(0, 12)}`);
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return folder;
  terminal.say('locks: installing the packages to compare with, once (about 40 MB) …');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of FILES) copyFileSync(join(SOURCE, file), join(folder, file));
  try {
    await run('npm', INSTALL, { cwd: folder, signal: stop, timeout: INSTALL_WITHIN_MS });
    writeFileSync(complete, '');
    return folder;
  } catch (error) {
    if (stop.aborted) return undefined;
    const said = (error as { stderr?: string }).stderr ?? '';
    const why = /npm error (?!code)(.*)/.exec(said)?.[1] ?? (error as Error).message.split('\n')[0];
    terminal.warn(
      `locks: the packages could not be installed (${why ?? ''}). The locks are measured without them, and bars that need them ` +
        'are not measured. Run the command again when the npm registry can be reached.',
    );
    return undefined;
  }
}
