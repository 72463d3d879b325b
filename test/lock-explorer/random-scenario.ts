import { type CallerPlan } from './caller.js';
import { randomNumbers } from './explore.js';
import { type Scenario } from './run.js';

const CLIENTS = ['c1', 'c1', 'c2', 'c3'];
const KEYS = ['a', 'a', 'a', 'b', 'broken'];
const LEASES = [undefined, undefined, undefined, 20, 100, 400];
const NESTS: readonly CallerPlan['nests'][] = [
  undefined,
  'sequentially',
  'beside a failing sibling',
  'and outlives the outer hold',
  'and forgets the entry',
  'after the outer hold has ended',
];

/** Too large for every schedule: up to ten callers of three processes, three keys, every kind of fault. */
export function randomScenario(seed: number): Scenario {
  const random = randomNumbers(seed);
  const below = (n: number) => Math.floor(random() * n);
  const one = <T>(of: readonly T[]) => of[below(of.length)] as T;
  const kind = one(['plain', 'reentrant'] as const);
  const caller = (name: string): CallerPlan => {
    const leaseMs = one(LEASES);
    const nests = kind === 'reentrant' ? one(NESTS) : undefined;
    // A forgotten entry needs a lease of its own, or its watchdog would rightly keep it for ever.
    const innerLeaseMs = nests === 'and forgets the entry' ? 50 : one([undefined, 50]);
    return {
      name,
      client: one(CLIENTS),
      key: one(KEYS),
      waitMs: one([0, 50, 500, 5000]),
      early: random() < 0.3,
      abortable: random() < 0.3,
      ...(leaseMs !== undefined && { leaseMs, forgets: random() < 0.2 }),
      ...(nests && { nests }),
      ...(innerLeaseMs !== undefined && { innerLeaseMs }),
    };
  };
  return {
    name: `seed ${seed}`,
    kind,
    brokenKeys: ['broken'],
    callers: Array.from({ length: 3 + below(8) }, (_, index) => caller(String.fromCharCode(65 + index))),
    faults: {
      failures: below(3),
      lostAnswers: below(3),
      lateAnswers: below(3),
      earlyTicks: below(6),
      stalls: below(3),
      aborts: below(3),
    },
    stallMs: one([20, 100, 400, 3000]),
  };
}
