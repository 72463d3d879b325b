import { failOver, masterWithReplica, severReplication } from '../../faults/failover.js';
import { pause, resume } from '../../faults/pause.js';
import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { lastToken } from './tokens.js';

/** P7: the failover loses the token counter with the lock, so both holders have the same token. */
const OR_EQUAL: Experiment = {
  id: 'same-token-twice',
  title: 'Failover: two holders with one token; the store accepts it twice',
  claims: ['C16', 'C19', 'P7'],
  strategy: 'fencing-or-equal',
  fault: 'failover',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 2,
  run: play,
};

async function play(run: ExperimentRun) {
  const { redis } = run.testBed;
  const { master, replica } = await masterWithReplica(run);
  await run.connected(1);
  await run.stock(2);
  await run.buyer('C', 1).finish();
  await severReplication(run, master, replica);
  const a = run.buyer('A', 1);
  await a.runUntil(['afterRead']);
  await pause(run, a);
  const tokenOfA = await lastToken(run);
  await failOver(run, redis, replica);
  await run.connected(2);
  const second = await run.buyer('B', 2).finish();
  const tokenOfB = await lastToken(run);
  run.prove('A and B have the same token', `${tokenOfA}, ${tokenOfB}`, tokenOfA > 0 && tokenOfA === tokenOfB);
  resume(run, a);
  const first = await a.answer();
  run.recorder.expectOrder(
    'C sold',
    'link cut',
    'A afterRead',
    'A paused',
    'Redis forgot',
    `B ${second.kind}`,
    'A resumed',
    `A ${first.kind}`,
  );
  return {
    why:
      first.kind === 'sold'
        ? 'The new master had not received A’s token and issued it again to B. The store accepted it from both.'
        : 'The new master issued A’s token again to B. The store accepts a token once, and A was second.',
  };
}

export const SAME_TOKEN_TWICE: readonly Experiment[] = [
  OR_EQUAL,
  {
    ...OR_EQUAL,
    id: 'same-token-once',
    title: 'Failover: two holders with one token; the store accepts it once',
    strategy: 'fencing-token',
    twinOf: OR_EQUAL.id,
    expected: 'SAFE',
  },
];
