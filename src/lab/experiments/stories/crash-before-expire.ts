import { kill } from '../../faults/kill.js';
import { type Experiment } from '../experiment.js';
import { SETNX_LOCK } from '../../test-bed/lock-keys.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

const FOR_EVER = -1;

/** C11, P18: the lock holder crashes before EXPIRE. In the twin, SET NX PX sets the expiry with the lock. */
const CRASH: Experiment = {
  id: 'crash-before-expire',
  title: 'The lock holder crashes between SETNX and EXPIRE',
  claims: ['C11', 'P18'],
  strategy: 'setnx-then-expire',
  fault: 'crash',
  expected: 'BLOCKED',
  lease: 'short',
  stock: 1,
  run: playForEver,
};

async function playForEver(run: ExperimentRun) {
  const { node } = run.testBed.redis;
  await takeAndDie(run);
  const ttl = await node.ask((client) => client.pttl(SETNX_LOCK));
  run.prove('the lock of the crashed holder has no expiry', `PTTL ${ttl}`, ttl === FOR_EVER);
  const blocked = await waitsUntilDeleted(run, SETNX_LOCK);
  run.recorder.expectOrder('A killed', 'B waits', 'lock deleted', 'B sold');
  return blocked
    ? ({
        finding: 'BLOCKED',
        why: 'No buyer could acquire the lock until it was deleted by hand: its holder had crashed and it had no expiry.',
      } as const)
    : { why: 'B acquired the lock although its holder had crashed.' };
}

/** B waits for a lock whose holder has crashed, and buys as soon as the lab deletes the lock. */
export async function waitsUntilDeleted(run: ExperimentRun, lock: string): Promise<boolean> {
  const b = run.buyer('B', 2);
  const halt = await b.runUntil(['afterLock'], { orWaits: 'anywhere' });
  await run.testBed.redis.node.ask((client) => client.del(lock));
  run.fault('redis', 'the lab deletes the lock', 'lock deleted');
  const { kind } = await b.finish();
  run.prove('only the lock had stopped B', `B ${kind}`, kind === 'sold');
  return halt === 'waits';
}

async function playLease(run: ExperimentRun) {
  const { node } = run.testBed.redis;
  await takeAndDie(run);
  const ttl = await node.ask((client) => client.pttl(SETNX_LOCK));
  run.prove('the lock of the crashed holder expires', `PTTL ${ttl}`, ttl !== FOR_EVER);
  const second = await run.buyer('B', 2).finish();
  run.recorder.expectOrder('A killed', `B ${second.kind}`);
  run.prove('B bought after the lease expired', second.kind, second.kind === 'sold');
  return {
    why: 'SET NX PX set the lock and its expiry in one command: B waited until the lease expired, and no longer.',
  };
}

/** A acquires the lock and crashes on the next line. */
async function takeAndDie(run: ExperimentRun): Promise<void> {
  const a = run.buyer('A', 1);
  await a.runUntil(['afterLock']);
  const held = await run.testBed.redis.node.ask((client) => client.exists(SETNX_LOCK));
  run.prove('A holds the lock', `EXISTS ${held}`, held === 1);
  await kill(run, a);
}

export const CRASH_BEFORE_EXPIRE: readonly Experiment[] = [
  CRASH,
  {
    ...CRASH,
    id: 'no-expiry',
    title: 'The holder of a lock without expiry crashes',
    strategy: 'setnx-no-expiry',
  },
  {
    ...CRASH,
    id: 'expiry-from-birth',
    title: 'The lock holder crashes after SET NX PX',
    strategy: 'setnx-lua',
    twinOf: CRASH.id,
    expected: 'SAFE',
    run: playLease,
  },
];
