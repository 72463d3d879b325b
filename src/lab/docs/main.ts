import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { declaredStrategies } from '../../strategies/support/strategy-classes.js';
import { LabError } from '../errors.js';
import { EvidenceStore } from '../experiments/evidence-store.js';
import { matrixOf } from '../experiments/matrix/matrix.js';
import { matrixTable } from '../experiments/matrix/table.js';
import { ROOT, SHIPPED_EVIDENCE } from '../paths.js';
import { readComparison } from './comparison.js';
import { readFacts } from './facts.js';
import { indexPage } from './index-page.js';
import { strategyPage } from './strategy-page.js';

const FOLDER = join(ROOT, 'docs/strategies');

const README = join(ROOT, 'README.md');
/** Between these two lines of the README stands the matrix of the evidence that the project ships. */
const MATRIX = /(<!-- matrix -->\n)[^]*(<!-- \/matrix -->)/;

async function readmeWithMatrix(): Promise<string> {
  const strategies = (await declaredStrategies()).map((strategy) => ({ ...strategy, available: true }));
  const table = matrixTable(matrixOf(strategies, new EvidenceStore(SHIPPED_EVIDENCE).all));
  const readme = readFileSync(README, 'utf8');
  if (!MATRIX.test(readme))
    throw new LabError('README.md has no place for the matrix: <!-- matrix --> … <!-- /matrix -->');
  return readme.replace(MATRIX, (_, begin: string, end: string) => `${begin}\n${table}\n${end}`);
}

/** `npm run docs` writes the pages; with `--check` it only says which of them are not what they should be. */
async function main(check: boolean): Promise<number> {
  const facts = await readFacts();
  const names = facts.map(({ metadata }) => metadata.name);
  const comparison = readComparison();
  const pages = new Map([
    ['README.md', indexPage(facts)],
    ...facts.map((one): [string, string] => {
      const { name } = one.metadata;
      return [`${name}.md`, strategyPage(one, comparison.get(name) ?? [], names)];
    }),
  ]);
  mkdirSync(FOLDER, { recursive: true });
  const needless = readdirSync(FOLDER).filter((file) => !pages.has(file));
  const stale = [...pages].filter(([file, text]) => textOf(file) !== text).map(([file]) => file);
  const readme = await readmeWithMatrix();
  const readmeIsStale = readFileSync(README, 'utf8') !== readme;
  if (check) {
    const wrong = [...stale, ...needless, ...(readmeIsStale ? ['the matrix of the README'] : [])];
    if (wrong.length === 0) return 0;
    console.error(`docs/strategies is not current (${wrong.join(', ')}): run \`npm run docs\` and commit.`);
    return 1;
  }
  if (readmeIsStale) writeFileSync(README, readme);
  for (const file of needless) rmSync(join(FOLDER, file));
  for (const [file, text] of pages) writeFileSync(join(FOLDER, file), text);
  console.log(`docs/strategies: ${pages.size} pages, ${stale.length + needless.length} changed`);
  return 0;
}

function textOf(file: string): string | undefined {
  const path = join(FOLDER, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

try {
  process.exitCode = await main(process.argv.includes('--check'));
} catch (error) {
  if (!(error instanceof LabError)) throw error;
  console.error(`docs: ${error.message}`);
  process.exitCode = 1;
}
