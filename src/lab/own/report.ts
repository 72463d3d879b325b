import { type LoadResult } from '../../contract/lab-runs.js';
import { withinBound } from '../explorer/bound-text.js';
import { type Exploration } from '../explorer/explorer.js';
import { commandOf } from '../explorer/plan-command.js';
import { tell } from '../explorer/story.js';
import { terminal } from '../terminal.js';
import { contradictions } from './judgement.js';
import { type Trial } from './trial.js';

/** The trial for the terminal. */
export function trialText(trial: Trial): string {
  const { strategy, load, speeds, explorations, experiments, untested, quick, interrupted } = trial;
  const against = contradictions(trial);
  const mark = markOf(trial);
  const promise = `promises: ${strategy.safe}${strategy.breaksUnder.length > 0 ? `, except under ${strategy.breaksUnder.join(', ')}` : ''}`;
  return [
    `${mark} ${terminal.bold(strategy.name)}  ${promise}`,
    ...against.map((line) => `  ${terminal.red('✘')} ${line}`),
    ...(against.length === 0 ? ['  Nothing that was tested contradicts its promises.'] : []),
    ...untested.map(({ part, why }) => `  ? Not tested: ${part}: ${why}`),
    '',
    `Load: ${load.outcomes.sold} of ${load.audit.initial} sold at 3 instances; ${load.verdict}. ${load.explanation}`,
    '',
    'Speed, 32 buyers, ample stock:',
    ...speeds.map(speedLine(strategy.name)),
    '',
    ...explorations.flatMap(explorationLines),
    ...(experiments.length > 0
      ? [
          'Faults:',
          ...experiments.map(
            ({ fault, verdict, ok }) => `  ${ok ? '✔' : '✘'} ${fault.padEnd(20)} ${verdict}`,
          ),
        ]
      : []),
    ...(quick
      ? ['--quick: no faults were injected. Without --quick the explorer and the fault matrix do so.']
      : []),
    ...(interrupted ? ['Interrupted: this is what was tested until then.'] : []),
  ].join('\n');
}

/** A question mark when nothing contradicts the promises, but a part could not be tested. */
function markOf(trial: Trial): string {
  if (contradictions(trial).length > 0) return terminal.red('✘');
  return trial.untested.length > 0 ? '?' : terminal.green('✔');
}

function speedLine(own: string): (result: LoadResult) => string {
  return ({ strategy, throughput, p50, p99, verdict }) => {
    const line = `  ${strategy.padEnd(20)} ${throughput.toFixed(0).padStart(7)} sales/s   p50 ${p50.toFixed(1)} ms   p99 ${p99.toFixed(1)} ms   ${verdict}`;
    return strategy === own ? terminal.bold(line) : line;
  };
}

function explorationLines(found: Exploration): string[] {
  const { plan, coverage, schedules, findings, counterexample, bound } = found;
  const fault = plan.faults === 'none' ? 'without a fault' : 'with one fault at any point';
  const counted = Object.entries(findings).map(([finding, count]) => `${finding} ${count}`);
  const all = coverage.complete
    ? `all ${schedules === null ? '' : `${schedules} `}schedules`
    : 'not all schedules';
  return [
    `Explorer, two buyers, one unit, ${fault}: ${all}${withinBound(bound)}, ${coverage.runs} run: ${counted.join(', ')}.`,
    ...(counterexample
      ? [
          `  The simplest schedule that breaks it (${schedule(plan, counterexample.schedule)}):`,
          tell(counterexample),
        ]
      : []),
    '',
  ];
}

function schedule(plan: Exploration['plan'], text: string): string {
  const options = commandOf(plan).split(plan.strategy.name)[1] ?? '';
  return `"${text}"${options}`;
}
