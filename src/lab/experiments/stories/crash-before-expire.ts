import { kill } from '../../faults/kill.js';
import { type Experiment } from '../experiment.js';
import { SETNX_LOCK } from '../../test-bed/lock-keys.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

const FOR_EVER = -1;

/** C11, P18: the holder dies before its lock has an end. In the twin, the lock is born with one. */
const CRASH: Experiment = {
  id: 'crash-before-expire',
  title: 'The holder dies between SETNX and EXPIRE',
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
  run.prove('the lock of the dead has no end', `PTTL ${ttl}`, ttl === FOR_EVER);
  const blocked = await waitsUntilDeleted(run, SETNX_LOCK);
  run.recorder.expectOrder('A killed', 'B waits', 'lock deleted', 'B sold');
  return blocked
    ? ({
        finding: 'BLOCKED',
        why: 'Nobody could buy until the key was deleted by hand: its holder was dead and it had no expiry.',
      } as const)
    : { why: 'B got past the lock of the dead.' };
}

/** B waits at a lock that nobody holds any more, and buys as soon as somebody deletes it by hand. */
export async function waitsUntilDeleted(run: ExperimentRun, lock: string): Promise<boolean> {
  const b = run.buyer('B', 2);
  const halt = await b.runUntil(['afterLock'], { orWaits: 'anywhere' });
  await run.testBed.redis.node.ask((client) => client.del(lock));
  run.fault('redis', 'somebody deletes the lock by hand', 'lock deleted');
  const { kind } = await b.finish();
  run.prove('nothing but the lock was in the way', `B ${kind}`, kind === 'sold');
  return halt === 'waits';
}

async function playLease(run: ExperimentRun) {
  const { node } = run.testBed.redis;
  await takeAndDie(run);
  const ttl = await node.ask((client) => client.pttl(SETNX_LOCK));
  run.prove('the lock of the dead ends by itself', `PTTL ${ttl}`, ttl !== FOR_EVER);
  const second = await run.buyer('B', 2).finish();
  run.recorder.expectOrder('A killed', `B ${second.kind}`);
  run.prove('B could buy when the lease had ended', second.kind, second.kind === 'sold');
  return {
    why: 'SET NX PX made the lock and its end in one step: B had to wait for the lease, and no longer.',
  };
}

/** A has the lock and dies on the next line. */
async function takeAndDie(run: ExperimentRun): Promise<void> {
  const a = run.buyer('A', 1);
  await a.runUntil(['afterLock']);
  const held = await run.testBed.redis.node.ask((client) => client.exists(SETNX_LOCK));
  run.prove('A has the lock', `EXISTS ${held}`, held === 1);
  await kill(run, a);
}

export const CRASH_BEFORE_EXPIRE: readonly Experiment[] = [
  CRASH,
  {
    ...CRASH,
    id: 'no-expiry',
    title: 'The holder of a lock without expiry dies',
    strategy: 'setnx-no-expiry',
  },
  {
    ...CRASH,
    id: 'expiry-from-birth',
    title: 'The holder dies after SET NX PX',
    strategy: 'setnx-lua',
    twinOf: CRASH.id,
    expected: 'SAFE',
    run: playLease,
  },
];
