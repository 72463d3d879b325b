import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from './errors.js';

/** For commands that write a file at their end: a path that cannot be written must be refused before the work begins. */
export function requireWritableFile(option: string, path: string | undefined): void {
  if (path === undefined) return;
  const file = resolve(path);
  if (existsSync(file)) requireThat(!statSync(file).isDirectory(), option, path, 'it is a folder');
  const folder = dirname(file);
  requireThat(isFolder(folder), option, path, `there is no folder ${folder}`);
  requireAccess(existsSync(file) ? file : folder, option, path);
}

/** As `requireWritableFile`, for a folder. The command creates the parts of the path that do not exist. */
export function requireWritableFolder(option: string, path: string): void {
  let existing = resolve(path);
  while (!existsSync(existing)) existing = dirname(existing);
  requireThat(isFolder(existing), option, path, `${existing} is a file`);
  requireAccess(existing, option, path);
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function requireAccess(path: string, option: string, given: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch {
    requireThat(false, option, given, `this user may not write ${path}`);
  }
}

function requireThat(holds: boolean, option: string, path: string, problem: string): void {
  if (!holds)
    throw new UsageError(
      `--${option} ${JSON.stringify(path)} cannot be written: ${problem}. Choose another path.`,
    );
}
