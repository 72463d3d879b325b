import { type CheckpointName } from '../../../checkpoints/checkpoint.js';
import { outlast, pause, resume } from '../../faults/pause.js';
import { type Buyer, type Halt } from '../../test-bed/buyer.js';
import { type Conclusion } from '../experiment.js';
import { type PurchaseResult } from '../../test-bed/purchase.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { LEASES } from '../../test-bed/instance-pool.js';
import {
  heardInTime,
  lead,
  ONCE_MORE,
  proveDecided,
  type Scenario,
  THE_MOMENT,
  unlessBrokenAnyway,
} from './scenario.js';

/**
 * A is stopped for longer than its lease between its read and its write; B finishes; A resumes. A holder that checks
 * its lease before COMMIT learns of the loss in time. That check is itself a check-then-act, so the second try stops A
 * right after it.
 */
export const PAUSE: Scenario = {
  fault: 'pause',
  title: 'A is stopped for longer than its lease',
  label: 'stop > lease',
  claims: [],
  claimsOf: {
    'setnx-lua': ['P3'],
    'setnx-watchdog': ['C13', 'P3'],
    reentrant: ['C13', 'P3'],
    'fencing-token': ['C18', 'P3'],
    'lease-seq': ['C20', 'P3'],
    etcd: ['C23', 'P3'],
    zookeeper: ['C23', 'P3'],
  },
  lease: 'short',
  stock: 1,
  appliesTo: unlessBrokenAnyway,
  async run(run) {
    const first = await pauseOne(run, ['A', 'B'], THE_MOMENT);
    if (!(await heldByHearing(run, first))) return conclude(run, first);
    run.note(ONCE_MORE);
    await run.stock(1);
    return conclude(run, await pauseOne(run, ['C', 'D'], ['beforeCommit']));
  },
};

/** Both are stopped after their read; then A writes, then B. */
export const PAUSE_BOTH: Scenario = {
  fault: 'pause-both',
  title: 'Both are stopped after reading',
  label: 'both stop',
  claims: [],
  claimsOf: { 'fencing-token': ['C19', 'P6'], 'lease-seq': ['C20', 'P6'] },
  lease: 'short',
  stock: 1,
  appliesTo: unlessBrokenAnyway,
  async run(run) {
    const first = await pauseBoth(run, ['A', 'B'], THE_MOMENT);
    if (!(await heldByHearing(run, first))) return conclude(run, first);
    run.note(ONCE_MORE);
    await run.stock(1);
    return conclude(run, await pauseBoth(run, ['C', 'D'], ['beforeCommit']));
  },
};

interface Ending {
  /** How far the second buyer came while the first one was stopped. */
  readonly halt: Halt;
  readonly first: PurchaseResult;
  readonly second: PurchaseResult;
}

/** Safe, but only because A learned of the loss in time. */
async function heldByHearing(run: ExperimentRun, { first }: Ending): Promise<boolean> {
  return heardInTime(first) && (await run.isSafe());
}

/** Also waits until the reconciler has returned or written a reservation of A that is not in MySQL yet. */
async function sleepThroughLease(
  run: ExperimentRun,
  name: string,
  place: readonly CheckpointName[],
): Promise<Buyer> {
  const a = await lead(run, name, 1, place);
  await pause(run, a);
  await outlast(run, a, LEASES.short);
  await run.settledAudit();
  return a;
}

async function pauseOne(
  run: ExperimentRun,
  names: readonly [string, string],
  place: readonly CheckpointName[],
): Promise<Ending> {
  const a = await sleepThroughLease(run, names[0], place);
  const b = run.buyer(names[1], 2);
  const halt = await b.runUntil([], { orWaits: 'in-server' });
  resume(run, a);
  const ending = { halt, first: await a.answer(), second: await b.finish() };
  const met = halt === 'waits' ? `${b.name} waits` : `${b.name} ${ending.second.kind}`;
  run.recorder.expectOrder(`${a.name} paused`, met, `${a.name} resumed`, `${a.name} ${ending.first.kind}`);
  return ending;
}

async function pauseBoth(
  run: ExperimentRun,
  names: readonly [string, string],
  place: readonly CheckpointName[],
): Promise<Ending> {
  const a = await sleepThroughLease(run, names[0], place);
  const b = run.buyer(names[1], 2);
  const halt = await b.runUntil(THE_MOMENT, { orWaits: 'in-server' });
  if (halt === 'there') await pause(run, b);
  resume(run, a);
  const first = await a.answer();
  if (halt === 'there') resume(run, b);
  const second = await (halt === 'there' ? b.answer() : b.finish());
  run.recorder.expectOrder(`${a.name} paused`, metBy(b, halt, second), `${a.name} resumed`);
  return { halt, first, second };
}

function metBy(buyer: Buyer, halt: Halt, answer: PurchaseResult): string {
  return `${buyer.name} ${{ there: 'paused', waits: 'waits', answered: answer.kind }[halt]}`;
}

async function conclude(run: ExperimentRun, { halt, first, second }: Ending): Promise<Conclusion> {
  proveDecided(run, [first, second]);
  const { verdict, sold } = await run.settledAudit();
  const shutOut = second.kind === 'refused' && second.type === 'lock-timeout';
  if (verdict === 'SAFE' && (halt === 'waits' || shutOut)) {
    return { finding: 'BLOCKED', why: 'No other buyer could buy while A was stopped; nothing was oversold.' };
  }
  if (verdict === 'SAFE') return { why: `A resumed too late and was ${told(first)}.` };
  return { why: `Both had read the same stock, and ${sold} were sold of 1.` };
}

function told(answer: PurchaseResult): string {
  if (answer.kind === 'sold') return 'sold the unit, and B was refused';
  return answer.kind === 'refused' ? `refused (${answer.type})` : 'left without an answer';
}
