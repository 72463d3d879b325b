import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CLAIM_IDS, INTERLEAVING_IDS, SENTENCES, type ShownId } from '../../contract/claims.js';
import { LabError } from '../errors.js';
import { type Expectation } from '../../contract/verdict.js';
import { type Experiment } from '../experiments/experiment.js';
import { experimentsShowing } from '../experiments/shown-claims.js';
import { ROOT } from '../paths.js';
import { CLAIM_SOURCES } from './claim-sources.js';

type Named = Pick<Experiment, 'id' | 'fault' | 'strategy' | 'claims' | 'expected' | 'twinOf'>;

/** docs/claims.md: every claim and every interleaving, and what shows it. */
export function claimsPage(experiments: readonly Named[], sources: ReadonlyMap<string, string>): string {
  mustBeShown(experiments, sources);
  return `${[
    '<!-- Written by `npm run docs` from src/contract/claims.ts and the experiments. -->',
    '# Claims and interleavings',
    'Lockstock shows 28 claims about inventory deduction and locks (C1 to C28), and 21 interleavings of concurrent requests that break a strategy (P1 to P21). `npx lockstock experiments` runs them on real servers, by the name of an experiment, by a claim or by an interleaving:',
    '```sh\nnpx lockstock experiments blind-delete\nnpx lockstock experiments C12\nnpx lockstock experiments P3\n```',
    '## Claims',
    [
      '| | claim | strategies | experiments | tests |',
      '| --- | --- | --- | --- | --- |',
      ...CLAIM_IDS.map((id) => {
        const { strategies = [], tests = [], missing, unshown } = CLAIM_SOURCES[id];
        return row(
          id,
          [SENTENCES[id], missing, unshown].filter(Boolean).join(' '),
          strategies.map((name) => strategyLinks(name, sources)).join(', '),
          names(experimentsShowing(experiments, id)),
          tests.map((name) => `[${name}](../test/${name}.test.ts)`).join(', '),
        );
      }),
    ].join('\n'),
    '## Interleavings',
    'The column _breaks_ has the experiments in which the interleaving breaks a strategy. The column _does no harm_ has those in which a strategy withstands the same steps.',
    [
      '| | interleaving | breaks | does no harm |',
      '| --- | --- | --- | --- |',
      ...INTERLEAVING_IDS.map((id) => {
        const shown = experimentsShowing(experiments, id);
        const harmful = ({ expected }: Named) => doesHarm(expected);
        return row(
          id,
          SENTENCES[id],
          names(shown.filter(harmful)) || 'no strategy',
          names(shown.filter((one) => !harmful(one))),
        );
      }),
    ].join('\n'),
  ].join('\n\n')}\n`;
}

/** Throws when nothing shows a claim, or when a claim names a strategy or test that does not exist. */
function mustBeShown(experiments: readonly Named[], sources: ReadonlyMap<string, string>): void {
  for (const id of CLAIM_IDS) {
    const { strategies = [], tests = [], missing } = CLAIM_SOURCES[id];
    const shown = [...strategies, ...tests, ...experimentsShowing(experiments, id)].length > 0;
    if (shown === (missing !== undefined)) throw new LabError(`Nothing shows ${id} (${SENTENCES[id]}).`);
    const unknown = [
      ...strategies.filter((name) => !sources.has(name)),
      ...tests.filter((name) => !existsSync(join(ROOT, `test/${name}.test.ts`))),
    ];
    if (unknown.length > 0)
      throw new LabError(
        `${id} names ${unknown.join(', ')}, which ${unknown.length > 1 ? 'do' : 'does'} not exist.`,
      );
  }
  for (const id of INTERLEAVING_IDS) {
    if (experimentsShowing(experiments, id).every(({ expected }) => doesHarm(expected)))
      throw new LabError(`${id} (${SENTENCES[id]}) needs an experiment in which it does no harm.`);
  }
}

/** A strategy that is blocked while the fault lasts does not oversell, but its clients wait, which is also harm. */
function doesHarm(expected: Expectation): boolean {
  return expected !== 'SAFE' && expected !== 'holds';
}

function row(id: ShownId, ...cells: readonly string[]): string {
  return `| ${[`<a id="${id.toLowerCase()}"></a>${id}`, ...cells].join(' | ')} |`;
}

function strategyLinks(name: string, sources: ReadonlyMap<string, string>): string {
  return `[${name}](strategies/${name}.md) ([code](../${sources.get(name) ?? ''}))`;
}

/** From this number on, the cells of one column of the matrix are summarised by the name of the column. */
const MANY = 5;

function names(experiments: readonly Named[]): string {
  const texts = experiments.map(({ id, fault }) => {
    const column = experiments.filter((one) => one.id === `${fault}.${one.strategy}`);
    const grouped = column.length >= MANY && column.some((one) => one.id === id);
    return grouped ? `\`${fault}\` with ${column.length} strategies` : `\`${id}\``;
  });
  return [...new Set(texts)].join(', ');
}
