import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.js';
import { type Exploration } from './explorer.js';
import { FAULT_TEXTS } from './fault-texts.js';
import { FAULTS, type Faults } from './injected-faults.js';
import { resultOf } from './table.js';

const JSON_FILE = join(ROOT, 'docs/explorer-results.json');
const PAGE = join(ROOT, 'docs/explorer-results.md');

/** What is kept of an exploration: nothing that differs from run to run. */
interface Result {
  readonly strategy: string;
  readonly faults: Faults;
  readonly buyers: number;
  readonly stock: number;
  readonly result: string;
  readonly ok: boolean;
  /** Of the schedules that were counted; null when not all were. */
  readonly schedules: string | null;
  readonly run: number;
  readonly cut: number;
  readonly preemptions: number | null;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly counterexample: { readonly schedule: string; readonly switches: number } | null;
}

/** Replaces what is recorded about these strategies and faults, and writes the page. Answers where it is. */
export function recordResults(found: readonly Exploration[], order: readonly string[]): string {
  const fresh = found.map(recorded);
  const earlier = (existsSync(JSON_FILE) ? JSON.parse(readFileSync(JSON_FILE, 'utf8')) : []) as Result[];
  const kept = earlier.filter(
    (one) => !fresh.some(({ strategy, faults }) => strategy === one.strategy && faults === one.faults),
  );
  const all = [...kept, ...fresh].sort(
    (a, b) =>
      FAULTS.indexOf(a.faults) - FAULTS.indexOf(b.faults) ||
      order.indexOf(a.strategy) - order.indexOf(b.strategy),
  );
  writeFileSync(JSON_FILE, `${JSON.stringify(all, undefined, 2)}\n`);
  writeFileSync(PAGE, pageOf(all));
  return PAGE;
}

function recorded(found: Exploration): Result {
  const { plan, coverage, schedules, findings, counterexample, bound, ok } = found;
  return {
    strategy: plan.strategy.name,
    faults: plan.faults,
    buyers: plan.buyers,
    stock: plan.stock,
    result: resultOf(found),
    ok,
    schedules: schedules === null ? null : String(schedules),
    run: coverage.runs,
    cut: coverage.cut,
    preemptions: bound ?? null,
    verdicts: findings,
    counterexample: counterexample
      ? { schedule: counterexample.schedule, switches: counterexample.switches }
      : null,
  };
}

function pageOf(all: readonly Result[]): string {
  const sections = FAULTS.filter((faults) => all.some((one) => one.faults === faults)).map((faults) => {
    const text = FAULT_TEXTS[faults];
    const rows = all.filter((one) => one.faults === faults).map(rowOf);
    return [`## ${text.charAt(0).toUpperCase()}${text.slice(1)}`, '', HEAD, LINE, ...rows, ''].join('\n');
  });
  return [INTRODUCTION, ...sections].join('\n');
}

const INTRODUCTION = `# What the explorer found

\`npx lockstock explore --all --record\` writes this page, with \`--faults\` for the other sections. [The explorer](explorer.md)
explains the method and what a result covers. Each row is two buyers of one unit each, unless it says otherwise.

- **schedules**: how many there are. \`≤ N\`: only those with at most N preemptions.
- **run**: played on the servers, and judged. **cut**: ended early, because each continuation had been tried in another order. All
  others only swap commands that commute: they touch different rows or keys, or only read.
- **simplest**: the schedule with the fewest context switches that breaks the strategy. \`npx lockstock explore <strategy> --schedule "…"\`
  plays it, with the \`--faults\` and the \`--stock\` of its section.
`;

const HEAD = '| strategy | result | schedules | run | cut | simplest |';
const LINE = '| --- | --- | ---: | ---: | ---: | --- |';

function rowOf({
  strategy,
  result,
  buyers,
  stock,
  schedules,
  run,
  cut,
  preemptions,
  counterexample,
}: Result): string {
  const bound = preemptions === null ? '' : ` (≤ ${preemptions})`;
  const total = schedules === null ? 'not counted' : BigInt(schedules).toLocaleString('en');
  const scenario = [
    ...(buyers === 2 ? [] : [`${buyers} buyers`]),
    ...(stock === 1 ? [] : [`${stock} in stock`]),
  ];
  const name = scenario.length > 0 ? `${strategy}, ${scenario.join(', ')}` : strategy;
  const simplest = counterexample
    ? `\`${counterexample.schedule}\` (${counterexample.switches} switch${counterexample.switches === 1 ? '' : 'es'})`
    : '';
  return `| ${name} | ${result} | ${total}${bound} | ${run} | ${cut} | ${simplest} |`;
}
