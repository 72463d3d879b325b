import { kill } from '../../faults/kill.js';
import { LabError } from '../../errors.js';
import { type Conclusion } from '../experiment.js';
import { tell } from '../../test-bed/purchase.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { insist, lead, type Scenario, unlessBrokenAnyway } from './scenario.js';

/** A dies between its deduction and COMMIT, or between Redis and MySQL; then B wants to buy. */
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
    const a = await lead(run, 'A', 1, [stock === 'redis' ? 'afterGate' : 'beforeCommit']);
    await kill(run, a);
    const answer = await insist(run, 'B', 2);
    run.recorder.expectOrder('A killed', `B ${answer.kind}`);
    if (answer.kind === 'sold') return { why: 'What A had not committed was undone, and B could buy.' };
    if (answer.kind === 'refused' && answer.type === 'sold-out') return afterSoldOut(run);
    throw new LabError(`B was told: ${tell(answer)}.`);
  },
};

/** A's order is written by another instance; or the unit that A took with it was nobody's, until it was given back. */
async function afterSoldOut(run: ExperimentRun): Promise<Conclusion> {
  const refused = performance.now();
  const { sold, remaining, redisRemaining } = await run.settledAudit();
  if (sold === 1) return { why: 'A had sold before it died: another instance wrote its order down.' };
  const seconds = ((performance.now() - refused) / 1000).toFixed(1);
  run.prove(
    'the unit is back',
    `${redisRemaining ?? 'nothing'} at the gate, ${remaining} in MySQL`,
    redisRemaining === 1 && remaining === 1,
  );
  return {
    why: `B was refused although nobody had bought. The reconciler gave the unit back ${seconds} s later.`,
  };
}
