import { type Step } from '../../src/contract/evidence.js';
import { withoutNoise } from '../../src/lab/evidence/commands.js';
import { formatEvidence, parseEvidence } from '../../src/lab/evidence/evidence-file.js';
import { eventsWithoutCycles, golden, type Recording, withoutCycles } from '../../src/lab/evidence/golden.js';
import { ranked, StableText } from '../../src/lab/evidence/stable-text.js';
import { inAwaitedOrder, type TraceEntry } from '../../src/lab/evidence/trace.js';

const OWNER_OF_A = '0e37a1c2-9ed0-4a78-ab6f-31d5ad347c65';
const OWNER_OF_B = '2dffe286-d798-4e1f-afec-32b9a527d1b8';

const query = (by: string, text: string, to = 'redis'): TraceEntry => ({
  type: 'step',
  by,
  step: { actor: 'short-lease-2', to, kind: 'query', text: `${by}: ${text}` },
});
const lab = (text: string): TraceEntry => ({
  type: 'step',
  by: 'lab',
  step: { actor: 'lab', kind: 'note', text },
});
const answer = (by: string): TraceEntry => ({
  type: 'step',
  by,
  step: { actor: 'short-lease-2', to: by, kind: 'answer', text: 'sold' },
});
const event = (by: string, name: string): TraceEntry => ({ type: 'event', by, name });
const awaited = (by: string): TraceEntry => ({ type: 'awaited', by });
const textsOf = (entries: readonly TraceEntry[]) =>
  entries.flatMap((entry) => (entry.type === 'step' ? [entry.step.text] : []));

describe('the order of concurrent requests', () => {
  const [a1, a2, b1, b2] = [query('A', '1'), query('A', '2'), query('B', '1'), query('B', '2')];

  test.each([[[a1, b1, a2, b2]], [[b1, b2, a1, a2]], [[b1, a1, b2, a2]]])(
    'is that in which the experiment waited for them',
    (raced) => {
      const trace = [lab('begins'), ...raced, awaited('A'), awaited('B'), lab('ends')];
      expect(textsOf(inAwaitedOrder(trace))).toEqual(['begins', 'A: 1', 'A: 2', 'B: 1', 'B: 2', 'ends']);
    },
  );

  test('requests that the experiment never waited for come last', () => {
    expect(textsOf(inAwaitedOrder([b1, lab('acts'), a1, awaited('A')]))).toEqual(['acts', 'A: 1', 'B: 1']);
  });

  test('an answer that is awaited later does not come with the commands', () => {
    const trace: TraceEntry[] = [
      a1,
      answer('A'),
      { type: 'awaited', by: 'A', commandsOnly: true },
      lab('acts'),
    ];
    expect(textsOf(inAwaitedOrder(trace))).toEqual(['A: 1', 'acts', 'sold']);
  });
});

describe('commands that vary from run to run', () => {
  test('a repeated command is kept once between two checkpoints', () => {
    const poll = query('A', 'SET lock NX');
    const trace = [poll, { ...poll }, { ...poll }, event('A', 'A afterLock'), { ...poll }];
    expect(textsOf(withoutNoise(trace))).toEqual(['A: SET lock NX', 'A: SET lock NX']);
  });

  test('a script that is sent as text after NOSCRIPT is not a second call', () => {
    expect(textsOf(withoutNoise([query('A', 'EVALSHA x.lua 1 k'), query('A', 'EVAL x.lua 1 k')]))).toEqual([
      'A: EVALSHA x.lua 1 k',
    ]);
  });

  test('of a sale that retries while units may be returned, the last attempt is kept', () => {
    const attempt = (...rest: string[]) =>
      ['WATCH stock', 'GET stock', ...rest].map((text) => query('B', text));
    const refused = () => [...attempt('UNWATCH', 'EVALSHA sold-out.lua 1 k'), event('B', 'B afterRead')];
    const trace = [
      ...refused(),
      ...attempt('UNWATCH'),
      ...refused(),
      ...attempt('EXEC'),
      event('B', 'B sold'),
    ];
    expect(withoutNoise(trace)).toEqual([...attempt('EXEC'), event('B', 'B sold')]);
    expect(textsOf(withoutNoise([...attempt('UNWATCH'), ...attempt('EXEC')]))).toHaveLength(4);
  });

  test('renewals and cache updates are left out, other transactions of Redis are not', () => {
    const trace = [
      query('A', 'EVALSHA plain-renew.lua 1 k owner'),
      query('A', 'MULTI'),
      query('A', 'INCR lockstock:{goods:1}:changes'),
      query('A', 'DEL lockstock:{goods:1}:page'),
      query('A', 'EXEC'),
      event('A', 'A afterReservation'),
      query('A', 'MULTI'),
      query('A', 'DECRBY lockstock:{goods:1}:stock 1'),
      query('A', 'EXEC'),
    ];
    expect(textsOf(withoutNoise(trace))).toEqual([
      'A: MULTI',
      'A: DECRBY lockstock:{goods:1}:stock 1',
      'A: EXEC',
    ]);
  });
});

describe('a request that waits by repeating its commands', () => {
  test('is folded to one round, however many there were', () => {
    const round = (by: string): Step[] =>
      ['WATCH', 'GET', 'UNWATCH'].map((text) => ({
        actor: 'instance-1',
        kind: 'query',
        text: `${by}: ${text}`,
      }));
    const end: Step = { actor: 'instance-1', kind: 'answer', text: 'sold' };
    const folded = [...round('B'), end];
    expect(withoutCycles([...round('B'), ...round('B'), ...round('B'), end])).toEqual(folded);
    expect(withoutCycles([...round('A'), ...round('B'), end])).toEqual([...round('A'), ...folded]);
  });

  test('several purchases are not folded', () => {
    const sales = ['A afterRead', 'A sold', 'A afterRead', 'A sold'];
    expect(eventsWithoutCycles(sales)).toEqual(sales);
    expect(eventsWithoutCycles(['B afterRead', 'B afterRead', 'B refused'])).toEqual([
      'B afterRead',
      'B refused',
    ]);
  });
});

describe('texts', () => {
  test.each([
    [`SET k ${OWNER_OF_A} then ${OWNER_OF_B}, ${OWNER_OF_A}`, 'SET k owner-1 then owner-2, owner-1'],
    ['redis-17 is killed, redis-18 takes over', 'redis-1 is killed, redis-2 takes over'],
    ['redis-3 is killed, redis-1 takes over', 'redis-1 is killed, redis-2 takes over'],
    ['long-lease-3 and short-lease-2', 'instance-2 and instance-1'],
    ['process 4711: gone', 'process gone'],
    ['705 ms of 700 ms', 'more than 700 ms'],
    ['HSET reservations 1000000005002 1', 'HSET reservations order-1 1'],
    ['no answer (ECONNRESET)', 'no answer (connection closed)'],
    ['SET lockstock:setnx:{goods:1} x PX 700 NX', 'SET lockstock:setnx:{goods:1} x PX 700 NX'],
  ])('%s', (raw, stable) => {
    expect(new StableText(['short-lease-2', 'long-lease-3']).of(raw)).toBe(stable);
  });

  test('counters become their rank', () => {
    expect(ranked('stored 57; A 58, B 61, again 57')).toBe('stored 1; A 2, B 3, again 1');
  });
});

function recording(owner: string, instance: string, orderId: number): Recording {
  const step: Step = { actor: instance, to: 'redis', kind: 'query', text: `A: SET lock ${owner} NX` };
  return {
    id: 'pause.setnx-lua',
    title: 'A is stopped',
    claims: ['P3'],
    strategy: 'setnx-lua',
    fault: 'pause',
    expected: 'breaks',
    verdict: 'OVERSOLD',
    ok: true,
    why: 'Both sold.',
    actors: [{ id: instance, kind: 'instance', label: instance }],
    trace: [
      event('A', 'before'),
      { type: 'restart', by: 'lab' },
      { type: 'step', by: 'A', step },
      event('A', 'A sold'),
    ],
    proofs: [
      { of: 'fault', fault: 'pause', what: `${instance} is stopped`, seen: 'state T in /proc', ok: true },
    ],
    order: { expected: ['A sold'], seen: ['A sold'], ok: true },
    rows: {
      goods: { inventory: 0, version: 1, fence: 0, leaseSeq: 0 },
      orders: [{ orderId, instance, fence: null, leaseSeq: null }],
    },
    audit: {
      verdict: 'OVERSOLD',
      initial: 1,
      sold: 2,
      remaining: 0,
      redisRemaining: null,
      inFlight: 0,
      orders: 2,
      oversoldBy: 1,
      invariants: [{ name: 'no-oversell', ok: false, detail: '2 sold of 1' }],
    },
  };
}

test('two recordings of the same behaviour are the same file', () => {
  const first = formatEvidence(golden(recording(OWNER_OF_A, 'short-lease-2', 192)));
  const second = formatEvidence(golden(recording(OWNER_OF_B, 'long-lease-4', 7)));
  expect(second).toBe(first);
  expect(parseEvidence(first)).toEqual(golden(recording(OWNER_OF_A, 'short-lease-2', 192)));
  expect(first).toContain('"seen": ["A sold"]');
  expect(parseEvidence('{"id": "no evidence"}')).toBeUndefined();
});
