import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/lab/paths.js';

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.lab', 'reports']);

/** Every Markdown file of the project, by its path from the project's folder. */
export function markdownFiles(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) && folder === '' ? [] : markdownFiles(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

const FENCE = /^```(\w*)\n([^]*?)^```$/gm;

/** The targets of links and pictures, without those in code. */
export function linksOf(markdown: string): string[] {
  const prose = markdown.replace(FENCE, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|href|srcset)="([^"]+)"/g)].map(
    ([, inline, attribute]) => inline ?? attribute ?? '',
  );
}

/** The commands of the shell blocks: no comments, and continued lines joined. */
export function shellCommands(markdown: string): string[] {
  return [...markdown.matchAll(FENCE)]
    .filter(([, language]) => language === 'sh')
    .flatMap(([, , block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
    .map((line) =>
      line
        .replace(/(^|\s)#.*$/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '');
}
