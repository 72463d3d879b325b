import { type Evidence, type Step } from '../../contract/evidence.js';
import { meets } from '../../contract/verdict.js';
import { terminal } from '../terminal.js';

/** One line: the experiment, its verdict, and whether the verdict was expected. */
export function headline({ id, verdict, ok, expected }: Evidence): string {
  const { green, red } = terminal;
  const doubt = meets(verdict, expected) ? 'but not proven' : `not as expected (${expected})`;
  const judged = ok ? green(verdict) : red(`${verdict}, ${doubt}`);
  return `${ok ? green('✔') : red('✘')} ${id.padEnd(34)} ${judged}`;
}

/** The steps of the experiment, what was proven, and why it ended as it did. */
export function story(evidence: Evidence): string {
  const { bold, dim, red } = terminal;
  const { title, steps, proofs, order, why, audit } = evidence;
  // The commands of the instances are in the diagram. Those of the lab itself are part of the story.
  const told = steps.filter(({ kind, actor }) => kind !== 'query' || actor === 'lab').map(line);
  const proven = proofs.map(({ what, seen, ok }) => `    ${ok ? '✔' : red('✘')} ${what} ${dim(`(${seen})`)}`);
  const interleaving = `    ${order.ok ? '✔' : red('✘')} in this order: ${order.expected.join(' → ')}`;
  return [
    headline(evidence),
    `  ${bold(title)}`,
    ...told,
    '  Proven:',
    ...proven,
    interleaving,
    `  ${why} Sold ${audit.sold} of ${audit.initial}.`,
    '',
  ].join('\n');
}

function line({ actor, to, text, source }: Step): string {
  const route = to === undefined ? actor : `${actor} → ${to}`;
  const where = source ? terminal.dim(`  ${source.symbol ?? source.file}`) : '';
  return `  ${route.padEnd(26)} ${text}${where}`;
}
