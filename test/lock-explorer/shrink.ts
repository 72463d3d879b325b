import { replay } from './explore.js';
import { type Outcome, type Scenario } from './run.js';
import { type VirtualTime } from './virtual-time.js';

export interface Counterexample {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
}

/** Leaves out callers and steps, one at a time, as long as what is left still violates something. */
export async function shrink(found: Counterexample, time: VirtualTime): Promise<Counterexample> {
  let best = found;
  for (let smaller: Counterexample | undefined = best; smaller;) {
    best = smaller;
    smaller = undefined;
    for (const candidate of candidates(best)) {
      const outcome = await replay(candidate.scenario, time, candidate.schedule);
      if (!outcome || outcome.violations.length === 0) continue;
      // A replay continues after the end of its schedule. It must not become longer.
      if (candidate.scenario === best.scenario && outcome.schedule.length >= best.outcome.schedule.length)
        continue;
      smaller = { scenario: candidate.scenario, outcome };
      break;
    }
  }
  return best;
}

function* candidates({ scenario, outcome: { schedule } }: Counterexample) {
  for (const caller of scenario.callers) {
    const callers = scenario.callers.filter((other) => other !== caller);
    if (callers.length > 0) yield { scenario: { ...scenario, callers }, schedule };
  }
  for (const index of schedule.keys()) yield { scenario, schedule: schedule.filter((_, at) => at !== index) };
}

/** A schedule that a person can read and the explorer can replay. */
export function tell({ scenario, outcome }: Counterexample): string {
  return [
    ...outcome.violations,
    '',
    ...outcome.schedule.map((step, index) => `${String(index + 1).padStart(3)}. ${step}`),
    '',
    `Replay it: --replay '${JSON.stringify({ scenario, schedule: outcome.schedule })}'`,
  ].join('\n');
}
