import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT } from '../../src/lab/paths.js';

const CONTRACT = '../src/contract';
/** Pure: evidence to SVG shapes, for the page and for the files of the lab. See docs/adr. */
const DIAGRAM = '../src/diagram';

/** The folders of the page, and what each may import besides itself and packages: only folders earlier in this list. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  [CONTRACT]: [],
  [DIAGRAM]: [CONTRACT],
  client: [CONTRACT],
  texts: [CONTRACT],
  display: [CONTRACT, 'client', 'texts'],
  state: [CONTRACT, 'client', 'texts'],
  parts: [CONTRACT, DIAGRAM, 'client', 'texts', 'display', 'state'],
  views: [CONTRACT, 'client', 'texts', 'display', 'state', 'parts'],
  '.': [CONTRACT, 'client', 'texts', 'display', 'state', 'parts', 'views'],
};

const WEB = join(ROOT, 'web');
const sources: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(WEB, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(join(WEB, file), 'utf8')]),
);

function violations(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files).flatMap(([file, text]) => {
    const folder = dirname(file);
    const imported = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) =>
      normalize(join(folder, path)),
    );
    return imported
      .filter((path) => dirname(path) !== folder && !MAY_IMPORT[folder]?.includes(dirname(path)))
      .map((path) => `${file} imports ${path}`);
  });
}

test('the folders of the page import each other in one direction only', () => {
  expect(violations(sources)).toEqual([]);
});

test('the table itself has no cycle', () => {
  const known: string[] = [];
  for (const [folder, imports] of Object.entries(MAY_IMPORT)) {
    expect([folder, imports.filter((name) => !known.includes(name))]).toEqual([folder, []]);
    known.push(folder);
  }
});

test.each([
  ['client/runs.ts', "import { withToken } from '../state/token.js';", 'state/token.js'],
  ['display/lanes.ts', "import { type Lane } from '../parts/lane.js';", 'parts/lane.js'],
  ['state/route.ts', "const home = await import('../views/home.js');", 'views/home.js'],
  ['parts/icon.ts', "export { App } from '../app.js';", 'app.js'],
  ['client/runs.ts', "import { type Verdict } from '../../src/stock/verdict.js';", '../src/stock/verdict.js'],
])('%s must not say: %s', (file, text, imported) => {
  expect(violations({ [file]: text })).toEqual([`${file} imports ${imported}`]);
});
