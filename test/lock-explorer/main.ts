/** Explores the lock's own code, with every promise and timer under control. `--help` says how. */
import { parseArgs } from 'node:util';
import { exploreAll, replay, sample } from './explore.js';
import { randomScenario } from './random-scenario.js';
import { type Outcome, type Scenario } from './run.js';
import { SCENARIOS } from './scenarios.js';
import { shrink, tell } from './shrink.js';
import { VirtualTime } from './virtual-time.js';

const HELP = `Usage: npm run explore:locks -- [options]

Runs the exclusive lock's own code on an engine in memory and tries every order of its steps.

  --only <text>     only the scenarios whose name begins with this text
  --seeds <n>       instead: n larger scenarios with random schedules
  --seed <n>        the first seed (default 1)
  --replay <json>   plays one schedule again, as a counterexample prints it
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    only: { type: 'string', default: '' },
    seeds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'string' },
  },
});

const time = new VirtualTime();

async function report(scenario: Scenario, outcome: Outcome): Promise<void> {
  const found = await shrink({ scenario, outcome }, time);
  process.stdout.write(`\nCOUNTEREXAMPLE in ${scenario.name}\n${tell(found)}\n`);
  process.exitCode = 1;
}

async function exhaustively(): Promise<void> {
  for (const scenario of SCENARIOS.filter(({ name }) => name.startsWith(values.only))) {
    const { schedules, pruned, counterexample } = await exploreAll(scenario, time);
    if (counterexample) return report(scenario, counterexample);
    process.stdout.write(`all ${schedules} schedules hold (${pruned} repeated others): ${scenario.name}\n`);
  }
}

async function randomly(first: number, count: number): Promise<void> {
  for (let seed = first; seed < first + count; seed += 1) {
    const scenario = randomScenario(seed);
    const outcome = await sample(scenario, time, seed);
    if (outcome && outcome.violations.length > 0) return report(scenario, outcome);
  }
  process.stdout.write(`${count} random schedules hold, seeds ${first} to ${first + count - 1}\n`);
}

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(HELP);
  time.install();
  // Every schedule makes errors whose stacks are never read, and a stack costs more than the step that fails.
  Error.stackTraceLimit = 0;
  if (values.replay !== undefined) {
    const { scenario, schedule } = JSON.parse(values.replay) as { scenario: Scenario; schedule: string[] };
    const outcome = await replay(scenario, time, schedule);
    process.stdout.write(outcome ? `${tell({ scenario, outcome })}\n` : 'The schedule cannot be played.\n');
  } else if (values.seeds === undefined) await exhaustively();
  else await randomly(Number(values.seed), Number(values.seeds));
}

void main();
