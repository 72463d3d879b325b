import { ProcessReaper } from '../src/lab/processes/process-reaper.js';
import { type Invariant } from './lock-fuzz/judge/violation.js';
import { FUZZ_KINDS } from './lock-fuzz/kinds/index.js';
import { plantedKind } from './lock-fuzz/kinds/planted.js';
import { type Defect } from './lock-fuzz/kinds/planted-lock.js';
import { FOUND } from './lock-fuzz/plan/found.js';
import { type Plan } from './lock-fuzz/plan/plan.js';
import { describeFailure } from './lock-fuzz/report.js';
import { type Failure, Fuzzer, type Seed } from './lock-fuzz/run/fuzz.js';
import { placesOf } from './lock-fuzz/run/servers.js';
import { isHere } from './support/optional-servers.js';
import { servers } from './support/test-shop.js';

/** For kinds without an entry below. */
const SEEDS = [5, 7];
/** Plans that once found a defect: an error at one key, and re-entry while the outer holder releases. */
const SEEDS_OF: Readonly<Record<string, readonly number[]>> = {
  redis: [2, 4],
  'redis reentrant': [4, 24, 37, 113],
};

/** The promise that each planted defect breaks, and seeds that show it. */
const PLANTED: readonly (readonly [Defect, Invariant, readonly number[]])[] = [
  ['release deletes the key of any owner', 'exclusion', [15, 22, 26]],
  ['leases outlive the key', 'exclusion', [15, 22, 27]],
  ['tokens repeat', 'tokens', [5]],
  ['renewal never stops', 'availability', [5]],
  ['errors reach other keys', 'isolation', [2, 11]],
  ['release throws', 'outcome', [5]],
  ['using hides a loss', 'outcome', [9, 16]],
  ['acquire hangs', 'settling', [5, 7]],
  ['a listener is left', 'leftovers', [5]],
  ['a connection is left', 'leftovers', [5]],
];

/** Defects that show when a lease ends before its holder does. */
const EXPIRING: readonly Defect[] = [
  'release deletes the key of any owner',
  'leases outlive the key',
  'using hides a loss',
];

/** Two callers wait meanwhile. Random plans also find this, but not within a few seeds in every run. */
const expiring: Omit<Plan, 'kind'> = {
  settings: { watchdogMs: 400, heartbeatMs: 400, commandTimeoutMs: 600, retries: 0, offlineQueue: true },
  callers: [0, 20, 30].map((startMs, client) => ({
    ...{ client, startMs, keys: ['a'], role: 'writer', rounds: 1, waitMs: 800, holdMs: 150 },
    ...{ leaseMs: startMs === 0 ? 60 : 300, via: 'using', end: 'release' },
    ...{ releaseTwice: false, readsSignal: false },
  })),
  faults: [],
};

const kinds = FUZZ_KINDS.filter(({ name }) => isHere(name));
const failures = new Map<string, Failure[]>();
const failuresOf = (kind: { readonly name: string }) => failures.get(kind.name) ?? [];

// All at the same time, because a run mostly waits.
beforeAll(async () => {
  const reaper = new ProcessReaper();
  const places = await placesOf(servers, `lock_fuzz_${process.pid}`);
  const fuzzer = await Fuzzer.open(places, reaper, { parallel: 6 });
  const all: Seed[] = [
    ...kinds.flatMap((kind) => (SEEDS_OF[kind.name] ?? SEEDS).map((seed) => ({ kind, seed }))),
    ...PLANTED.flatMap(([defect, , seeds]) => seeds.map((seed) => ({ kind: plantedKind(defect), seed }))),
    ...SEEDS.map((seed) => ({ kind: plantedKind('none'), seed })),
  ];
  try {
    await fuzzer.seeds(all, (failure, { kind }) => {
      if (failure) failures.set(kind.name, [...failuresOf(kind), failure]);
    });
    for (const [what, plan] of FOUND) failures.set(what, await fuzzer.repeat(plan, 2, 1));
    for (const kind of EXPIRING.map(plantedKind)) {
      const found = await fuzzer.repeat({ ...expiring, kind: kind.name }, 1);
      failures.set(kind.name, [...failuresOf(kind), ...found]);
    }
  } finally {
    await fuzzer.close();
    await reaper.close();
  }
}, 300_000);

test.each(kinds)('$name keeps its promises in random plans with faults', (kind) => {
  expect(failuresOf(kind).map(describeFailure)).toEqual([]);
});

test.each(FOUND)('%s', (name) => {
  expect(failuresOf({ name }).map(describeFailure)).toEqual([]);
});

test.each(PLANTED)('a planted defect is found: %s', (defect, invariant) => {
  const violations = failuresOf(plantedKind(defect)).flatMap((failure) => failure.violations);
  expect(violations.map((violation) => violation.invariant)).toContain(invariant);
});

test('the same lock without a planted defect breaks no promise', () => {
  expect(failuresOf(plantedKind('none')).map(describeFailure)).toEqual([]);
});
