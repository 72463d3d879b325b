// Takes files that are still right from the last build.
import { copyFileSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns whether the file was there. A link is enough, because no build changes a file of an earlier one.
 * @param {string} from @param {string} to
 */
export function takeFile(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  for (const take of [linkSync, copyFileSync]) {
    try {
      take(from, to);
      return true;
    } catch {
      // Not every file system has links.
    }
  }
  return false;
}

/** Returns whether all files of the folder were taken. @param {string} from @param {string} to @returns {boolean} */
export function takeFolder(from, to) {
  try {
    return readdirSync(from, { withFileTypes: true }).every((entry) =>
      (entry.isDirectory() ? takeFolder : takeFile)(join(from, entry.name), join(to, entry.name)),
    );
  } catch {
    return false;
  }
}
