import { type Caller, type Plan } from './plan.js';

const settings = { watchdogMs: 300, heartbeatMs: 300, commandTimeoutMs: 600, retries: 0, offlineQueue: true };

function caller(client: number, startMs: number, holdMs: number, more: Partial<Caller> = {}): Caller {
  return {
    ...{ client, startMs, holdMs, keys: ['a'], role: 'writer', rounds: 1, waitMs: 800 },
    ...{ via: 'using', end: 'release', releaseTwice: false, readsSignal: true, ...more },
  };
}

/** Three callers queue inside one process; an error at another key comes while the second of them holds. */
const queueWithError = (more: Partial<Caller> = {}): Caller[] => [
  caller(0, 0, 10, more),
  caller(0, 3, 25, more),
  caller(0, 4, 10, more),
  caller(0, 25, 1, { keys: ['broken'], waitMs: 0, ...more }),
];

const siblings = { shape: 'siblings', delayMs: 1, holdMs: 60 } as const;

/** The servers grant the lock, and the connections break before the answer arrives. */
const answersLost: Omit<Plan, 'kind'> = {
  settings: { ...settings, offlineQueue: false },
  callers: [caller(0, 30, 0, { waitMs: 0, leaseMs: 4000 })],
  faults: [{ client: 0, startMs: 5, forMs: 80, type: 'drop answers', servers: 5 }],
};

/** Small plans that once broke a promise in nearly every run. */
export const FOUND: readonly (readonly [what: string, plan: Plan])[] = [
  [
    'an error at one key does not reach the waiters of another, nor leave their key locked',
    { kind: 'redis', settings, callers: queueWithError(), faults: [] },
  ],
  [
    'a lease that ended after such an error is not handed to a later caller',
    {
      kind: 'redis',
      settings,
      callers: [
        ...queueWithError({ leaseMs: 120 }),
        ...[caller(0, 260, 20), caller(0, 265, 60), caller(1, 270, 60)].map((later) => ({
          ...later,
          leaseMs: 120,
        })),
      ],
      faults: [],
    },
  ],
  [
    're-entry in flight while the outer `using` fails keeps the lock of its holder',
    {
      kind: 'redis reentrant',
      settings,
      callers: [caller(3, 0, 60), caller(1, 5, 1, { nested: siblings }), caller(1, 15, 60)],
      faults: [],
    },
  ],
  [
    'a majority that granted a lock without being heard frees it soon after the outage',
    { ...answersLost, kind: 'redis quorum' },
  ],
];
