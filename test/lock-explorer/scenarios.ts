import { type CallerPlan } from './caller.js';
import { type Scenario } from './run.js';

const a = { key: 'a', waitMs: 2000 } as const;
const b = { key: 'b', waitMs: 2000 } as const;
const brief = { ...a, leaseMs: 100 } as const;
const flash = { ...a, leaseMs: 20 } as const;
const on = (client: string, plan: Omit<CallerPlan, 'client'>): CallerPlan => ({ ...plan, client });
const early = (client: string, plan: Omit<CallerPlan, 'client'>): CallerPlan =>
  on(client, { ...plan, early: true });

/** Small enough that every schedule can be tried. A tenure is handed on only when two callers wait behind its first holder. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'two processes, a lost answer',
    kind: 'plain',
    callers: [on('c1', a), on('c2', a)],
    faults: { lostAnswers: 1, earlyTicks: 1 },
  },
  {
    name: 'two processes, a stall and a late answer',
    kind: 'plain',
    callers: [on('c1', a), on('c2', a)],
    faults: { stalls: 1, lateAnswers: 1 },
  },
  {
    name: 'leases of the callers’, a stall and a late answer',
    kind: 'plain',
    callers: [on('c1', brief), on('c2', brief)],
    faults: { stalls: 1, lateAnswers: 1 },
  },
  {
    name: 'a server that is silent for longer than every timeout',
    kind: 'plain',
    callers: [
      early('c1', { ...a, waitMs: 500 }),
      on('c1', { ...a, waitMs: 500 }),
      on('c2', { ...a, waitMs: 0 }),
    ],
    faults: { stalls: 1 },
    stallMs: 5000,
  },
  {
    name: 'a hand-off and a failure',
    kind: 'plain',
    callers: [early('c1', a), early('c1', a), early('c1', a)],
    faults: { failures: 1, earlyTicks: 2 },
  },
  {
    name: 'a hand-off, another process and a stall',
    kind: 'plain',
    callers: [early('c1', a), early('c1', a), early('c1', a), on('c2', a)],
    faults: { stalls: 1 },
  },
  {
    name: 'a waiter aborts while the lock is handed to it',
    kind: 'plain',
    callers: [early('c1', a), early('c1', a), early('c1', { ...a, abortable: true }), on('c2', a)],
    faults: { aborts: 1 },
  },
  {
    name: 'a contender aborts',
    kind: 'plain',
    callers: [on('c1', { ...a, abortable: true }), on('c2', { ...a, abortable: true })],
    faults: { aborts: 1, lateAnswers: 1 },
  },
  {
    name: 'a hand-off between callers with different leases',
    kind: 'plain',
    callers: [early('c1', brief), early('c1', brief), early('c1', a), early('c1', brief)],
    faults: { stalls: 1 },
  },
  {
    name: 'a hand-off of leases that expire at once',
    kind: 'plain',
    callers: [early('c1', flash), early('c1', flash), early('c1', flash), on('c2', flash)],
    faults: { stalls: 1 },
    stallMs: 20,
  },
  {
    name: 'a key that always fails beside a hand-off',
    kind: 'plain',
    callers: [early('c1', a), early('c1', a), early('c1', a), on('c1', b)],
    brokenKeys: ['b'],
  },
  {
    name: 'a key that always fails beside leases of the callers’',
    kind: 'plain',
    callers: [early('c1', brief), early('c1', brief), early('c1', brief), on('c1', b)],
    brokenKeys: ['b'],
    faults: { stalls: 1 },
  },
  {
    name: 'a holder that never releases',
    kind: 'plain',
    callers: [early('c1', { ...brief, forgets: true }), early('c1', a), on('c2', a)],
    faults: { earlyTicks: 1 },
  },
  {
    name: 'an entry beside a failing sibling, and a waiter of the same process',
    kind: 'reentrant',
    callers: [on('c1', { ...a, nests: 'beside a failing sibling' }), on('c1', a), early('c1', a)],
    faults: { failures: 1 },
  },
  {
    name: 'an entry beside a failing sibling, and another process',
    kind: 'reentrant',
    callers: [early('c1', { ...a, nests: 'beside a failing sibling' }), on('c2', a)],
    faults: { lostAnswers: 1, stalls: 1 },
  },
  {
    name: 'an entry that outlives the outer hold',
    kind: 'reentrant',
    callers: [early('c1', { ...a, nests: 'and outlives the outer hold' }), on('c1', a)],
    faults: { stalls: 1, lostAnswers: 1 },
  },
  {
    name: 'an entry with a lease of its own that is never released',
    kind: 'reentrant',
    callers: [early('c1', { ...a, nests: 'and forgets the entry', innerLeaseMs: 50 }), on('c1', a)],
    faults: { earlyTicks: 2 },
  },
  {
    name: 'an entry after the outer hold has ended',
    kind: 'reentrant',
    callers: [
      early('c1', a),
      early('c1', { ...a, nests: 'after the outer hold has ended' }),
      early('c1', a),
      on('c2', a),
    ],
  },
  {
    name: 'entries one after the other',
    kind: 'reentrant',
    callers: [early('c1', { ...a, nests: 'sequentially' }), on('c1', { ...a, nests: 'sequentially' })],
    faults: { stalls: 1, failures: 1 },
  },
];
