import { terminal } from '../terminal.js';
import { type Evidence, meets, type Step } from '../evidence/evidence.js';

/** One line: what it was, what was found, whether that was to be expected. */
export function headline({ id, verdict, ok, expected, durationMs }: Evidence): string {
  const { green, red } = terminal;
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  const doubt = meets(verdict, expected) ? 'but not proven' : `not as expected (${expected})`;
  const judged = ok ? green(verdict) : red(`${verdict}, ${doubt}`);
  return `${ok ? green('✔') : red('✘')} ${id.padEnd(34)} ${judged}  ${terminal.dim(seconds)}`;
}

/** The experiment as a short story: who did what, what was proven, and why it ended so. */
export function story(evidence: Evidence): string {
  const { bold, dim, red } = terminal;
  const { title, steps, proofs, order, why, audit } = evidence;
  // What the instances ask their servers is in the drawing; what the lab itself asks is the story.
  const said = steps.filter(({ kind, actor }) => kind !== 'query' || actor === 'lab').map(line);
  const proven = proofs.map(({ what, seen, ok }) => `    ${ok ? '✔' : red('✘')} ${what} ${dim(`(${seen})`)}`);
  const interleaving = `    ${order.ok ? '✔' : red('✘')} in this order: ${order.expected.join(' → ')}`;
  return [
    headline(evidence),
    `  ${bold(title)}`,
    ...said,
    '  Proven:',
    ...proven,
    interleaving,
    `  ${why} Sold ${audit.sold} of ${audit.initial}.`,
    '',
  ].join('\n');
}

function line({ atMs, actor, to, text, source }: Step): string {
  const who = to === undefined ? actor : `${actor} → ${to}`;
  const where = source ? terminal.dim(`  ${source.file}:${source.line}`) : '';
  return `  ${terminal.dim(`${String(atMs).padStart(6)} ms`)}  ${who.padEnd(30)} ${text}${where}`;
}
