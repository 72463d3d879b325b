import { type Violation } from '../judge/violation.js';
import { type Caller, type Plan } from '../plan/plan.js';

/** Does a run of the plan break the same promise? Asked several times: real servers are not deterministic. */
export type StillFails = (plan: Plan) => Promise<boolean>;

/** The smallest plan that was found to fail still: parts are left out one at a time, then callers are simplified. */
export async function shrink(plan: Plan, stillFails: StillFails, stop?: AbortSignal): Promise<Plan> {
  let smallest = plan;
  let changed = true;
  while (changed && !stop?.aborted) {
    changed = false;
    for (const candidate of smaller(smallest)) {
      if (stop?.aborted) return smallest;
      if (!(await stillFails(candidate))) continue;
      smallest = candidate;
      changed = true;
      break;
    }
  }
  return smallest;
}

export function samePromise(violations: readonly Violation[], as: readonly Violation[]): boolean {
  return violations.some(({ invariant }) => as.some((other) => other.invariant === invariant));
}

function* smaller(plan: Plan): Generator<Plan> {
  const { callers, faults } = plan;
  // Halves first: most parts of a plan have nothing to do with its failure.
  if (callers.length > 3) {
    const half = Math.ceil(callers.length / 2);
    yield { ...plan, callers: callers.slice(0, half) };
    yield { ...plan, callers: callers.slice(half) };
  }
  for (const index of faults.keys()) yield { ...plan, faults: faults.toSpliced(index, 1) };
  for (const index of callers.keys())
    if (callers.length > 1) yield { ...plan, callers: callers.toSpliced(index, 1) };
  for (const [index, caller] of callers.entries())
    for (const simple of simpler(caller)) yield { ...plan, callers: callers.with(index, simple) };
}

function* simpler(caller: Caller): Generator<Caller> {
  const { abortAfterMs, nested, downgradeAfterMs, ...rest } = caller;
  if (caller.rounds > 1) yield { ...caller, rounds: 1 };
  if (nested) yield { ...rest, ...optional({ abortAfterMs, downgradeAfterMs }) };
  if (abortAfterMs !== undefined) yield { ...rest, ...optional({ downgradeAfterMs, nested }) };
  if (downgradeAfterMs !== undefined) yield { ...rest, ...optional({ abortAfterMs, nested }) };
  if (caller.end !== 'release') yield { ...caller, end: 'release' };
  if (caller.releaseTwice) yield { ...caller, releaseTwice: false };
  if (caller.via === 'await using') yield { ...caller, via: 'acquire' };
}

/** Without the fields that are undefined. */
function optional<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
