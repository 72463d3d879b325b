import { pause, resume } from '../../faults/pause.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { SETNX_LOCK } from '../../test-bed/lock-keys.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

const NO_OWNER = 'no owner';

/** P2: a late DEL releases the lock of the next holder, and a third buyer acquires it. The twin compares and deletes in one script. */
const BLIND: Experiment = {
  id: 'blind-delete',
  title: 'A late DEL releases the lock of the next holder',
  claims: ['C12', 'P2'],
  strategy: 'setnx-blind-delete',
  fault: 'pause',
  expected: 'OVERSOLD',
  lease: 'short',
  stock: 2,
  instances: 3,
  run: (run) => play(run, 'beforeUnlock'),
};

/** A sells and stops before it releases the lock; B acquires the lock and reads; A releases; C tries to acquire. */
async function play(run: ExperimentRun, place: 'beforeUnlock' | 'beforeDelete'): Promise<Conclusion> {
  const [a, b, c] = [run.buyer('A', 1), run.buyer('B', 2), run.buyer('C', 3)];
  await a.runUntil([place]);
  await pause(run, a);
  await b.runUntil(['afterRead']);
  await pause(run, b);
  const ofB = await lookAtLock(run);
  resume(run, a);
  await a.answer();
  const now = await lookAtLock(run);
  const halt = await c.runUntil(['afterRead'], { orWaits: 'anywhere' });
  const inside = halt === 'there';
  run.prove(
    inside ? 'A deleted the lock of B before B’s lease expired' : 'A did not delete the lock of B',
    `owner B, then ${now.owner === ofB.owner ? 'still B' : now.owner}`,
    ofB.owner !== NO_OWNER && now.at - ofB.at < ofB.leftMs && now.owner === (inside ? NO_OWNER : ofB.owner),
  );
  if (inside) await c.finish();
  resume(run, b);
  await b.answer();
  if (!inside) await c.finish();
  run.recorder.expectOrder(
    `A ${place}`,
    'A paused',
    'B paused',
    'A resumed',
    ...(inside ? ['C afterRead', 'C sold', 'B resumed', 'B sold'] : ['C waits', 'B resumed', 'B sold']),
  );
  return {
    why: inside
      ? 'The DEL of A deleted the lock of B. C acquired it while B was at work, and both sold what they had read.'
      : 'The script found that the lock belonged to B and did not delete it. C had to wait for B.',
  };
}

/** The owner of the lock, its remaining lease, and when both were read. */
async function lookAtLock({ testBed }: ExperimentRun) {
  const [owner, leftMs] = await testBed.redis.node.ask(
    async (client) => [await client.get(SETNX_LOCK), await client.pttl(SETNX_LOCK)] as const,
  );
  return { owner: owner?.slice(0, 8) ?? NO_OWNER, leftMs, at: Math.round(performance.now()) };
}

export const BLIND_DELETE: readonly Experiment[] = [
  BLIND,
  {
    ...BLIND,
    id: 'compare-and-delete',
    title: 'Compare and delete in one script',
    strategy: 'setnx-lua',
    twinOf: BLIND.id,
    expected: 'SAFE',
  },
  {
    ...BLIND,
    id: 'compare-then-delete',
    title: 'Compare in the program, then DEL: the owner changes in between',
    strategy: 'setnx-check-delete',
    run: (run) => play(run, 'beforeDelete'),
  },
];
