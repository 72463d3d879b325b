import { type Exploration } from './explorer.js';
import { terminal } from '../terminal.js';

const HEAD = ['strategy', 'result', 'schedules', 'run', 'cut', 'seconds', 'simplest schedule that breaks it'];

/** One line for each strategy. */
export function table(found: readonly Exploration[]): string {
  const rows = [HEAD, ...found.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    terminal.bold(`  ${line(HEAD)}`),
    ...found.map((one) => `${one.ok ? terminal.green('✔') : terminal.red('✘')} ${line(cellsOf(one))}`),
    '',
    '  run: played on the servers. cut: ended early, because each continuation had been tried in another order.',
    '  All other schedules only swap commands that commute: they touch different rows or keys, or only read.',
    '  A bound on preemptions (≤) counts only the schedules within it.',
    '',
  ].join('\n');
}

function cellsOf(found: Exploration): string[] {
  const { plan, coverage, schedules, counterexample, seconds, bound } = found;
  const within = bound === undefined ? '' : ` (≤ ${bound})`;
  const total =
    schedules === null ? (coverage.complete ? 'many' : 'not all run') : schedules.toLocaleString('en');
  return [
    plan.strategy.name,
    resultOf(found),
    `${total}${within}`,
    String(coverage.runs),
    String(coverage.cut),
    seconds.toFixed(1),
    counterexample?.schedule ?? '',
  ];
}

/** SAFE, or the verdicts that broke it. */
export function resultOf({ findings, coverage }: Exploration): string {
  const broken = Object.keys(findings).filter((finding) => finding !== 'SAFE');
  if (broken.length > 0) return broken.sort().join(', ');
  return coverage.complete ? 'SAFE' : 'SAFE so far';
}
