import { kill } from '../../faults/kill.js';
import { LabError } from '../../errors.js';
import { type Conclusion } from '../experiment.js';
import { tell } from '../../test-bed/purchase.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { insist, lead, type Scenario, unlessBrokenAnyway } from './scenario.js';

/** A is killed between its deduction and COMMIT, or between Redis and MySQL; then B buys. */
export const CRASH: Scenario = {
  fault: 'crash',
  title: 'kill -9 in the middle',
  label: 'kill -9',
  claims: [],
  claimsOf: { 'setnx-lua': ['C11'], 'redis-decr': ['P10'], 'redis-lua': ['P10'] },
  lease: 'short',
  stock: 1,
  appliesTo: unlessBrokenAnyway,
  async run(run, { stock }) {
    const a = await lead(run, 'A', 1, [stock === 'redis' ? 'afterReservation' : 'beforeCommit']);
    await kill(run, a);
    const answer = await insist(run, 'B', 2);
    run.recorder.expectOrder('A killed', `B ${answer.kind}`);
    if (answer.kind === 'sold') return { why: 'A’s uncommitted transaction was rolled back, and B bought.' };
    if (answer.kind === 'refused' && answer.type === 'sold-out') return afterSoldOut(run);
    throw new LabError(`B got an unexpected answer: ${tell(answer)}.`);
  },
};

/** Either another instance has written A's order, or A's reserved unit was unavailable until the reconciler returned it. */
async function afterSoldOut(run: ExperimentRun): Promise<Conclusion> {
  const { sold, remaining, redisRemaining } = await run.settledAudit();
  if (sold === 1)
    return { why: 'A’s order was accepted before the crash: another instance wrote it to the ledger.' };
  run.prove(
    'the unit is available again',
    `${redisRemaining ?? 'nothing'} in Redis, ${remaining} in MySQL`,
    redisRemaining === 1 && remaining === 1,
  );
  return {
    why: 'B was refused although nothing was sold. The reconciler returned the unit later.',
  };
}
