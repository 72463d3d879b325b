import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LabError } from '../errors.js';
import { type Comparison } from './comparison.js';
import { htmlReport } from './html.js';
import { markdownReport } from './markdown.js';

/** Writes the report in all formats into the folder; returns the paths. */
export function writeReports(comparison: Comparison, folder: string): string[] {
  const forms: [string, string][] = [
    ['compare.json', `${JSON.stringify(comparison, null, 2)}\n`],
    ['compare.md', markdownReport(comparison)],
    ['compare.html', htmlReport(comparison)],
  ];
  try {
    mkdirSync(folder, { recursive: true });
    return forms.map(([name, content]) => {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    });
  } catch (error) {
    throw new LabError(`--out: ${error instanceof Error ? error.message : String(error)}`);
  }
}
