import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../../src/lab/paths.js';
import { type Edit } from './revert.js';

/** What instances and the gateway are started from; `dist/src/lab` and the page are not part of it. */
const COPIED = ['package.json', 'deploy', 'dist/src', 'dist/migrations'];

/** A copy of the build with the edits in it, in a folder of its own. */
export class RevertedBuild {
  private constructor(readonly root: string) {}

  static make(edits: readonly Edit[]): RevertedBuild {
    const root = mkdtempSync(join(tmpdir(), 'lockstock-revert-'));
    for (const path of COPIED) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      cpSync(join(ROOT, path), join(root, path), {
        recursive: true,
        filter: (from) => !from.endsWith('dist/src/lab'),
      });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    for (const edit of edits) apply(root, edit);
    return new RevertedBuild(root);
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }
}

function apply(root: string, { file, from, to }: Edit): void {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  const found = text.split(from).length - 1;
  if (found !== 1) throw new Error(`${file} has this text ${found} times, not once: ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}
