import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../src/lab/paths.js';

/** What a build and a lab read, and the build that exists. */
const COPIED = [
  ...['bin', 'src', 'web', 'migrations', 'deploy', 'docs/transcripts', 'dist'],
  ...['package.json', 'package-lock.json', 'tsconfig.json'],
];

/** A copy of the project, whose sources a test may change. */
export class CopiedProject {
  readonly root = mkdtempSync(join(tmpdir(), 'lockstock-copy-'));

  constructor() {
    for (const path of COPIED)
      cpSync(join(ROOT, path), join(this.root, path), { recursive: true, preserveTimestamps: true });
    symlinkSync(join(ROOT, 'node_modules'), join(this.root, 'node_modules'));
  }

  in(path: string): string {
    return join(this.root, path);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
