import {
  type CallEvent,
  type Event,
  type History,
  type Observation,
  type RunEvent,
} from '../lock-fuzz/history.js';
import { judge } from '../lock-fuzz/judge/judge.js';
import { type Invariant } from '../lock-fuzz/judge/violation.js';
import { type Plan } from '../lock-fuzz/plan/plan.js';

const plan: Plan = {
  kind: 'redis',
  settings: { watchdogMs: 300, heartbeatMs: 300, commandTimeoutMs: 300, retries: 0, offlineQueue: false },
  callers: [],
  faults: [],
};

type Line = readonly [at: number, call: string, observation: Observation, client?: number];

function broken(
  lines: readonly Line[],
  others: readonly (RunEvent & { at: number; client: number })[] = [],
): Invariant[] {
  const events: Event[] = lines.map(([at, call, observation, client = 0]) => {
    const event: CallEvent = { ...observation, call };
    return { at, client, ...event };
  });
  const history: History = {
    plan,
    promises: { tokens: true, connectionIsLease: false },
    events: [...events, ...others].sort((a, b) => a.at - b.at),
    startedAt: 0,
    endedAt: 10_000,
  };
  return [...new Set(judge(history).map(({ invariant }) => invariant))];
}

const asks = (facts: Partial<Extract<Observation, { type: 'acquire' }>> = {}): Observation => ({
  type: 'acquire',
  keys: ['a'],
  role: 'writer',
  waitMs: 100,
  ...facts,
});
const gets = (token?: string, remaining = 300): Observation => ({
  type: 'granted',
  key: 'a',
  token,
  remaining,
});
const sees = (valid = true): Observation => ({ type: 'sample', valid, remaining: valid ? 200 : 0 });
const releases: Observation = { type: 'release called' };
const released: Observation = { type: 'release answered', held: true };
const refused = (message = '', reason: 'timeout' | 'engine' = 'timeout'): Observation => ({
  type: 'refused',
  reason,
  message,
});

/** A whole hold from its grant to its release. */
function hold(call: string, from: number, to: number, token: string, facts = {}): Line[] {
  return [
    [from, call, asks(facts)],
    [from, call, gets(token)],
    [from, call, sees()],
    [to, call, sees()],
    [to, call, releases],
    [to + 1, call, released],
  ];
}

describe('exclusion', () => {
  test('two valid holds of a key at the same time break it', () => {
    expect(broken([...hold('x', 0, 50, '1'), ...hold('y', 20, 70, '2')])).toEqual(['exclusion']);
  });
  test('holds one after the other, and readers together, do not', () => {
    expect(broken([...hold('x', 0, 50, '1'), ...hold('y', 51, 70, '2')])).toEqual([]);
    const reader = { role: 'reader' };
    const readers = [...hold('x', 0, 50, '1', reader), ...hold('y', 20, 70, '2', reader)];
    expect(broken(readers)).toEqual([]);
  });
  test('a hold ends when its holder notices that the lease has ended', () => {
    const lost: Line[] = [
      [0, 'x', asks()],
      [0, 'x', gets('1')],
      [1, 'x', sees()],
      [20, 'x', sees(false)],
    ];
    expect(broken([...lost, ...hold('y', 10, 70, '2')])).toEqual([]);
    const late: Line[] = [
      [0, 'x', asks()],
      [0, 'x', gets('1')],
      [1, 'x', sees()],
      [20, 'x', sees()],
    ];
    expect(broken([...late, ...hold('y', 10, 70, '2')])).toEqual(['exclusion']);
  });
  test('a write hold ends with its downgrade, which is not a release that hangs', () => {
    const writer: Line[] = [
      [0, 'x', asks()],
      [0, 'x', gets('1')],
      [19, 'x', sees()],
      [20, 'x', { type: 'downgrade called' }],
      [5000, 'x', sees()],
    ];
    expect(broken([...writer, ...hold('y', 30, 70, '2')])).toEqual([]);
    expect(broken([...writer, ...hold('y', 10, 70, '2')])).toEqual(['exclusion']);
  });
  test('a nested entry with the token of the outer entry is the same hold', () => {
    const outer = hold('x', 0, 50, '1');
    expect(broken([...outer, ...hold('x.nested', 10, 30, '1', { within: 'x' })])).toEqual([]);
    expect(broken([...outer, ...hold('x.nested', 10, 30, '2', { within: 'x' })])).toEqual([
      'exclusion',
      'tokens',
    ]);
  });
});

describe('tokens', () => {
  test('a later hold with a smaller or the same token breaks it', () => {
    expect(broken([...hold('x', 0, 50, '2'), ...hold('y', 60, 70, '1')])).toEqual(['tokens']);
    expect(broken([...hold('x', 0, 50, '2'), ...hold('y', 60, 70, '2')])).toEqual(['tokens']);
  });
  test('numbers are compared, not texts', () => {
    expect(broken([...hold('x', 0, 50, '9'), ...hold('y', 60, 70, '10')])).toEqual([]);
  });
});

test('availability: a key that the fuzzer cannot acquire at the end breaks it', () => {
  expect(
    broken([
      [0, 'probe.a', asks()],
      [90, 'probe.a', refused()],
    ]),
  ).toEqual(['availability']);
  expect(broken(hold('probe.a', 0, 1, '1'))).toEqual([]);
});

test('isolation: the error of the broken key is for its own callers only', () => {
  const message = 'ReplyError: WRONGTYPE Operation against a key holding the wrong kind of value';
  expect(
    broken([
      [0, 'x', asks()],
      [1, 'x', refused(message, 'engine')],
    ]),
  ).toEqual(['isolation']);
  expect(
    broken([
      [0, 'x', asks({ keys: ['broken'] })],
      [1, 'x', refused(message, 'engine')],
    ]),
  ).toEqual([]);
});

describe('outcome', () => {
  const ended = (valid: boolean, threw = false): Observation => ({
    type: 'work ended',
    threw,
    valid,
    remaining: valid ? 200 : 0,
  });
  const settled = (outcome: 'resolved' | 'work error' | 'lost' | 'engine'): Observation => ({
    type: 'using settled',
    outcome,
    message: '',
  });
  const used = (end: Observation, outcome: Observation) =>
    broken([
      [0, 'x', asks()],
      [0, 'x', gets('1')],
      [0, 'x', sees()],
      [9, 'x', end],
      [10, 'x', outcome],
    ]);

  test('release must not throw', () => {
    const lines: Line[] = [
      [0, 'x', asks()],
      [0, 'x', gets('1')],
      [5, 'x', releases],
    ];
    expect(broken([...lines, [6, 'x', { type: 'release threw', message: '' }]])).toEqual(['outcome']);
  });
  test('using must reject when its lease was lost', () => {
    expect(used(ended(false), settled('resolved'))).toEqual(['outcome']);
    expect(used(ended(false), settled('lost'))).toEqual([]);
  });
  test('using has the outcome of its work otherwise', () => {
    expect(used(ended(true), settled('engine'))).toEqual(['outcome']);
    expect(used(ended(true), settled('lost'))).toEqual(['outcome']);
    expect(used(ended(true, true), settled('resolved'))).toEqual(['outcome']);
    expect(used(ended(true), settled('resolved'))).toEqual([]);
    expect(used(ended(true, true), settled('work error'))).toEqual([]);
  });
  test('acquire must not answer with a lease that is over, unless the machine was busy', () => {
    const lines: Line[] = [
      [0, 'x', asks()],
      [50, 'x', gets('1', 0)],
    ];
    expect(broken(lines)).toEqual(['outcome']);
    expect(broken(lines, [{ type: 'lag', ms: 40, at: 50, client: 0 }])).toEqual([]);
  });
});

describe('settling', () => {
  test('an acquire that takes far longer than waitMs and a command timeout breaks it', () => {
    expect(
      broken([
        [0, 'x', asks()],
        [2000, 'x', refused()],
      ]),
    ).toEqual(['settling']);
    expect(
      broken([
        [0, 'x', asks()],
        [390, 'x', refused()],
      ]),
    ).toEqual([]);
    expect(broken([[0, 'x', asks()]])).toEqual(['settling']);
  });
  test('an aborted acquire must settle soon', () => {
    const aborted: Line[] = [
      [0, 'x', asks({ waitMs: 5000 })],
      [10, 'x', { type: 'aborted by caller' }],
    ];
    expect(broken([...aborted, [3000, 'x', refused()]])).toEqual(['settling']);
    expect(broken([...aborted, [200, 'x', refused()]])).toEqual([]);
  });
  test('a release must settle', () => {
    expect(broken(hold('x', 0, 50, '1').slice(0, -1))).toEqual(['settling']);
  });
  test('the calls of a killed process, and the lag of a busy one, are no hang', () => {
    const fault = { client: 0, startMs: 0, forMs: 0, type: 'kill', servers: 1 } as const;
    expect(broken([[0, 'x', asks()]], [{ type: 'fault', fault, at: 5, client: -1 }])).toEqual([]);
    const lag = { type: 'lag', ms: 1500, at: 1800, client: 0 } as const;
    expect(
      broken(
        [
          [0, 'x', asks()],
          [2000, 'x', refused()],
        ],
        [lag],
      ),
    ).toEqual([]);
  });
});

test('leftovers: a key that is there after the end breaks it', () => {
  const what = { type: 'left behind', what: 'key a', at: 99, client: -1 } as const;
  expect(broken(hold('x', 0, 50, '1'), [what])).toEqual(['leftovers']);
  expect(broken([...hold('x', 0, 50, '1'), [60, 'x', { type: 'listeners left', count: 1 }]])).toEqual([
    'leftovers',
  ]);
  expect(broken(hold('x', 0, 50, '1'))).toEqual([]);
});
