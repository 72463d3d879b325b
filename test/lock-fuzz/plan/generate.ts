import fc from 'fast-check';
import { type Features, type FuzzKind } from '../kinds/kind.js';
import {
  type Caller,
  type Fault,
  type Key,
  LOCAL_CLIENTS,
  type Nested,
  type Plan,
  type Settings,
  WORKER_CLIENTS,
} from './plan.js';

const oneOf = (...values: readonly number[]) => fc.constantFrom(...values);
/** Present once in so many times. */
const maybe = <T>(value: fc.Arbitrary<T>, times: number) =>
  fc.oneof({ weight: 1, arbitrary: value }, { weight: times - 1, arbitrary: fc.constant(undefined) });

/** Where the callers of one plan meet: many on few clients and keys find more than callers that never meet. */
interface Crowd {
  readonly clients: readonly number[];
  readonly keys: readonly Key[];
  readonly leases: readonly (number | undefined)[];
  /** Callers that wait long and hold briefly: the lock is handed on inside a process. */
  readonly queues: boolean;
}

/** The plan of a seed, always the same for the same seed and kind. */
export function planOf(kind: FuzzKind, seed: number): Plan {
  const [plan] = fc.sample(plans(kind), { seed, numRuns: 1 });
  if (!plan) throw new Error('fast-check made no plan.');
  return plan;
}

function plans(kind: FuzzKind): fc.Arbitrary<Plan> {
  return fc
    .tuple(settings(kind), crowds(kind))
    .chain(([chosen, crowd]) =>
      fc.record({
        kind: fc.constant(kind.name),
        settings: fc.constant(chosen),
        callers: fc.array(callers(kind, crowd), { minLength: 3, maxLength: 9, size: 'max' }),
        faults: fc.array(faults(crowd, chosen), { maxLength: 2, size: 'max' }),
      }),
    )
    .map(withoutUnusedFields);
}

function settings({ features }: FuzzKind): fc.Arbitrary<Settings> {
  return fc.record({
    watchdogMs: oneOf(...features.watchdogMs),
    heartbeatMs: oneOf(200, 400, 1500),
    commandTimeoutMs: commandTimeouts(features),
    retries: oneOf(0, 0, 1, 2),
    offlineQueue: fc.boolean(),
  });
}

function commandTimeouts({ commandTimeoutMs }: Features): fc.Arbitrary<number | undefined> {
  if (commandTimeoutMs !== undefined) return fc.constant(commandTimeoutMs);
  return fc.oneof(
    { weight: 6, arbitrary: oneOf(300, 600) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

function crowds({ features }: FuzzKind): fc.Arbitrary<Crowd> {
  const all = Array.from({ length: LOCAL_CLIENTS + WORKER_CLIENTS }, (_, index) => index);
  const normal: Key[] = ['a', 'a', 'a', 'b'];
  const broken: Key[] = features.brokenKey ? ['broken'] : [];
  const short = [60, 120, 200];
  const leases = features.leases ? [undefined, undefined, 120, ...short] : [undefined];
  const queue = fc.record({
    clients: fc.constantFrom([0], [2]),
    keys: fc.constant<readonly Key[]>(['a', 'a', 'a', 'a', ...broken]),
    leases: fc.constantFrom(...leases).map((lease) => [lease]),
    queues: fc.constant(true),
  });
  const mixed = fc.record({
    queues: fc.constant(false),
    clients: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom([0], [1, 2], [0, 1], [2, 3]) },
      { weight: 2, arbitrary: fc.constant(all) },
    ),
    keys: fc.constantFrom<readonly Key[]>(['a'], normal, [...normal, ...broken], [...normal, ...broken]),
    leases: fc.oneof(
      { weight: 3, arbitrary: fc.constant([undefined]) },
      { weight: 3, arbitrary: fc.constantFrom(...leases).map((lease) => [lease]) },
      { weight: 3, arbitrary: fc.constant(leases) },
      { weight: features.leases ? 1 : 0, arbitrary: fc.constant([4000]) },
    ),
  });
  return fc.oneof({ weight: 3, arbitrary: mixed }, { weight: 1, arbitrary: queue });
}

function callers({ features }: FuzzKind, crowd: Crowd): fc.Arbitrary<Caller> {
  const one = fc.constantFrom(...crowd.keys).map((key): Key[] => [key]);
  const both = fc.constantFrom<Key[]>(['a', 'b'], ['b', 'a']);
  return fc.record({
    client: fc.constantFrom(...crowd.clients),
    keys: features.multi ? fc.oneof({ weight: 3, arbitrary: both }, { weight: 1, arbitrary: one }) : one,
    role: features.readers
      ? fc.constantFrom('writer' as const, 'reader' as const)
      : fc.constant('writer' as const),
    startMs: fc.oneof(
      { weight: 4, arbitrary: oneOf(0, 1, 3, 8, 15, 30, 60) },
      { weight: 1, arbitrary: fc.nat(300) },
    ),
    rounds: oneOf(1, 1, 2, 4),
    waitMs: crowd.queues ? oneOf(500, 800) : oneOf(0, 20, 100, 250, 500, 800),
    leaseMs: fc.constantFrom(...crowd.leases),
    holdMs: crowd.queues ? oneOf(1, 4, 10, 25) : oneOf(0, 0, 1, 4, 10, 25, 60, 150, 350),
    abortAfterMs: maybe(oneOf(0, 1, 5, 20, 80), crowd.queues ? 30 : 7),
    via: fc.constantFrom('using' as const, 'using' as const, 'acquire' as const, 'await using' as const),
    end: fc.oneof(
      { weight: 6, arbitrary: fc.constant('release' as const) },
      { weight: 2, arbitrary: fc.constantFrom('throw' as const, 'expire' as const, 'forget' as const) },
    ),
    releaseTwice: fc.boolean(),
    readsSignal: fc.boolean(),
    downgradeAfterMs: features.readers ? maybe(oneOf(0, 5, 40), 3) : fc.constant(undefined),
    nested: features.reentrant ? maybe(nested(crowd), 2) : fc.constant(undefined),
  });
}

function nested({ leases }: Crowd): fc.Arbitrary<Nested> {
  return fc.record({
    shape: fc.constantFrom('awaited' as const, 'siblings' as const, 'siblings' as const, 'outlives' as const),
    delayMs: oneOf(0, 0, 1, 3, 10),
    holdMs: oneOf(0, 5, 20, 60, 150),
    leaseMs: fc.constantFrom(...leases),
  });
}

function faults({ clients }: Crowd, { watchdogMs, commandTimeoutMs }: Settings): fc.Arbitrary<Fault> {
  // Where the client sets no limit, an outage must be long to show that the lock does.
  const long = commandTimeoutMs === undefined ? [4000] : [];
  const workers = clients.filter((client) => client >= LOCAL_CLIENTS);
  const wire = fc.record({
    client: fc.constantFrom(...clients),
    startMs: fc.nat(150),
    forMs: oneOf(20, 60, 150, watchdogMs, Math.round(1.5 * watchdogMs), ...long),
    type: fc.constantFrom<Fault['type']>(
      'drop',
      'drop answers',
      'hold',
      'hold answers',
      'hold answers',
      'reset',
      'slow',
      'slow',
    ),
    servers: oneOf(1, 2, 3, 5),
  });
  const process = fc.record({
    client: fc.constantFrom(...(workers.length > 0 ? workers : clients)),
    startMs: fc.nat(150),
    forMs: oneOf(50, watchdogMs, 2 * watchdogMs),
    type: fc.constantFrom<Fault['type']>('pause', 'pause', 'pause', 'kill'),
    servers: fc.constant(1),
  });
  return workers.length > 0
    ? fc.oneof({ weight: 3, arbitrary: wire }, { weight: 1, arbitrary: process })
    : wire;
}

/** What a caller cannot do is not in its plan, and what is undefined is not in JSON. */
function withoutUnusedFields(plan: Plan): Plan {
  const callers = plan.callers.map((caller) => {
    const { nested: inner, downgradeAfterMs, ...rest } = caller;
    const nests = inner && caller.via === 'using' && caller.keys.length === 1;
    const downgrades = downgradeAfterMs !== undefined && caller.via !== 'using' && caller.role === 'writer';
    return { ...rest, ...(nests && { nested: inner }), ...(downgrades && { downgradeAfterMs }) };
  });
  return JSON.parse(JSON.stringify({ ...plan, callers })) as Plan;
}
