import { terminal } from '../terminal.js';
import { withinBound } from './bound-text.js';
import { type Exploration } from './explorer.js';
import { FAULT_TEXTS } from './fault-texts.js';
import { HOUSEKEEPING } from './housekeeping.js';
import { tell } from './story.js';

/** What was explored and found, for the terminal. */
export function report(found: Exploration, command: string): string {
  const { plan, coverage, schedules, findings, counterexample, ok, seconds, bound } = found;
  const { runs, cut, complete } = coverage;
  const { strategy, buyers, instances, stock, faults } = plan;
  const within = withinBound(bound);
  const counted = Object.entries(findings).map(([finding, count]) => `${finding} ${count}`);
  const total = schedules === null ? 'schedules' : `${grouped(schedules)} schedules`;
  const explored = complete ? total : 'not all';
  const broken = Object.keys(findings).some((finding) => finding !== 'SAFE');
  const headline = broken
    ? terminal.red('BROKEN')
    : complete
      ? terminal.green(`all ${total}${within}: SAFE`)
      : 'SAFE so far';
  const mark = ok ? terminal.green('✔') : terminal.red('✘');
  return [
    `${mark} ${terminal.bold(strategy.name)}  ${headline}${ok ? '' : `, ${doubt(found)}`}`,
    `  ${buyers} buyers at ${instances} instance${instances === 1 ? '' : 's'}, ${stock} in stock; ${FAULT_TEXTS[faults]}.`,
    `  Schedules: ${explored}${within}; ${runs} run${cut > 0 ? `, ${cut} cut short` : ''}, in ${seconds.toFixed(1)} s.`,
    ...(bound === undefined && complete
      ? ['  The others only swap commands that commute: they touch different rows or keys, or only read.']
      : []),
    `  Verdicts of the runs: ${counted.join(', ')}.`,
    ...(broken || !complete ? [] : [covers(found)]),
    ...(counterexample
      ? [
          `  The simplest schedule that breaks it (${counterexample.switches} context switches, ${counterexample.steps.length} steps):`,
          tell(counterexample),
          `  Replay: ${command} --schedule "${counterexample.schedule}"`,
        ]
      : []),
    '',
  ].join('\n');
}

/** Why the result is not what the strategy promises. */
function doubt({ expected, coverage, findings }: Exploration): string {
  const unbroken = findings['SAFE'] === coverage.runs;
  if (expected === 'safe')
    return unbroken ? 'but not all schedules were run' : 'although it promises to be safe';
  return 'although its metadata says that it breaks';
}

function covers({ plan: { buyers, allCommands } }: Exploration): string {
  const not = allCommands ? '' : ` Not scheduled: ${HOUSEKEEPING.map(({ what }) => what).join(', ')}.`;
  return `  This covers every interleaving of the commands of these ${buyers} buyers as atomic steps, with these faults, and nothing more.${not}`;
}

function grouped(count: bigint): string {
  return count.toLocaleString('en');
}
