import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Evidence } from '../../contract/evidence.js';
import { type StrategyListing } from '../../contract/strategy.js';
import { drawSequence } from '../../diagram/svg.js';
import { declaredStrategies } from '../../strategies/support/strategy-classes.js';
import { LabError } from '../errors.js';
import { EvidenceStore } from '../evidence/evidence-store.js';
import { allExperiments } from '../experiments/catalogue.js';
import { matrixOf } from '../experiments/matrix/matrix.js';
import { matrixFile } from '../experiments/matrix/table.js';
import { ROOT, SHIPPED_EVIDENCE } from '../paths.js';
import { claimsPage } from './claims-page.js';
import { readComparison } from './comparison.js';
import { DRAWN, experimentsPage } from './experiments-page.js';
import { readFacts } from './facts.js';
import { indexPage } from './index-page.js';
import { matrixPicture } from './matrix-picture.js';
import { strategyPage } from './strategy-page.js';

const STRATEGIES = 'docs/strategies';
const EXPERIMENTS = 'docs/experiments';

/** `npm run docs` writes the pages; with `--check` it only says which of them are out of date. */
async function main(check: boolean): Promise<number> {
  const pages = await generate();
  const stale = [...pages].filter(([file, text]) => textOf(file) !== text).map(([file]) => file);
  const obsolete = readdirSync(join(ROOT, STRATEGIES))
    .map((file) => `${STRATEGIES}/${file}`)
    .filter((file) => !pages.has(file));
  if (check) {
    const wrong = [...stale, ...obsolete];
    if (wrong.length === 0) return 0;
    console.error(`Out of date: ${wrong.join(', ')}. Run \`npm run docs\` and commit the result.`);
    return 1;
  }
  for (const file of obsolete) rmSync(join(ROOT, file));
  for (const file of stale) writeFileSync(join(ROOT, file), pages.get(file) ?? '');
  console.log(`${pages.size} generated pages in docs/, ${stale.length + obsolete.length} changed`);
  return 0;
}

/** Every generated page by its path. */
async function generate(): Promise<ReadonlyMap<string, string>> {
  const facts = await readFacts();
  const names = facts.map(({ metadata }) => metadata.name);
  const comparison = readComparison();
  const strategies = (await declaredStrategies()).map((strategy) => ({ ...strategy, available: true }));
  const evidence = new EvidenceStore(SHIPPED_EVIDENCE).all;
  const sources = new Map(facts.map(({ metadata, source }) => [metadata.name, source]));
  return new Map([
    ...experimentPages(strategies, evidence),
    ['docs/images/matrix.svg', matrixPicture(matrixOf(strategies, evidence))],
    ['docs/claims.md', claimsPage(allExperiments(strategies), sources)],
    [`${STRATEGIES}/README.md`, indexPage(facts)],
    ...facts.map((one): [string, string] => {
      const { name } = one.metadata;
      return [`${STRATEGIES}/${name}.md`, strategyPage(one, comparison.get(name) ?? [], names)];
    }),
  ]);
}

function experimentPages(
  strategies: readonly StrategyListing[],
  evidence: ReadonlyMap<string, Evidence>,
): [string, string][] {
  return [
    [`${EXPERIMENTS}/README.md`, experimentsPage(evidence)],
    [`${EXPERIMENTS}/matrix.md`, matrixFile(matrixOf(strategies, evidence))],
    ...DRAWN.flatMap((id): [string, string][] => {
      const found = evidence.get(id);
      return found ? [[`${EXPERIMENTS}/${id}.svg`, drawSequence(found)]] : [];
    }),
  ];
}

function textOf(file: string): string | undefined {
  const path = join(ROOT, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

try {
  process.exitCode = await main(process.argv.includes('--check'));
} catch (error) {
  if (!(error instanceof LabError)) throw error;
  console.error(`docs: ${error.message}`);
  process.exitCode = 1;
}
