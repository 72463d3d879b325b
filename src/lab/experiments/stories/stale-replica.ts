import { fallBehind, proveStale, replicaInStep, resumeReplica } from '../../faults/stale-replica.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { mariadbMissing } from '../../engines/missing.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** C7, P21: the version comes from a replica that lags, so every compare-and-set is refused. */
const CAS: Experiment = {
  id: 'stale-replica-cas',
  title: 'The version is read from a replica that lags',
  claims: ['C7', 'P21'],
  strategy: 'replica-cas',
  fault: 'stale-replica',
  expected: 'BLOCKED',
  lease: 'long',
  stock: 3,
  missing: mariadbMissing,
  run: (run) => play(run),
};

/** The replica stops; B sells on the primary; A buys with what the replica remembers. */
async function play(run: ExperimentRun): Promise<Conclusion> {
  const replica = await replicaInStep(run);
  try {
    await fallBehind(run, replica);
    await run.buyer('B', 2, { strategy: 'cas-version' }).finish();
    await proveStale(run, replica);
    const first = await run.buyer('A', 1).finish();
    await proveStale(run, replica);
    await resumeReplica(run, replica);
    if (first.kind === 'sold') {
      run.recorder.expectOrder('replica stops', 'B sold', 'A sold', 'replica in step');
      return { why: 'A read what B had left from the primary, or wrote over it with what the replica had.' };
    }
    const third = await run.buyer('C', 1).finish();
    run.prove('nothing but the lag was in the way', `C ${third.kind}`, third.kind === 'sold');
    run.recorder.expectOrder('replica stops', 'B sold', 'A refused', 'replica in step', 'C sold');
    return {
      finding: 'BLOCKED',
      why: 'The version of the replica was old whenever A asked, so the primary refused every try, and two were left.',
    };
  } finally {
    await replica.goOn();
  }
}

/** The same without a version: A writes back what has long been sold. */
const ABSOLUTE: Experiment = {
  ...CAS,
  id: 'stale-replica-absolute',
  title: 'Under a lock, the stock is read from a replica that lags',
  strategy: 'replica-absolute',
  expected: 'LOST-UPDATE',
  run: async (run) => ({
    ...(await play(run)),
    why: 'A had the lock to itself, read a stock that B had already lowered, and put back what B had sold.',
  }),
};

/** The twins: a replica that is in step, and a read from the server that is written to. */
export const STALE_REPLICA: readonly Experiment[] = [
  CAS,
  {
    ...CAS,
    id: 'stale-replica-primary',
    title: 'The replica lags, and the version is read from the primary',
    strategy: 'cas-version',
    twinOf: CAS.id,
    expected: 'SAFE',
    run: async (run) => ({ ...(await play(run)), why: 'A read from the primary, which had B’s sale.' }),
  },
  ABSOLUTE,
  {
    ...ABSOLUTE,
    id: 'replica-in-step',
    title: 'Under a lock, the stock is read from a replica that is in step',
    twinOf: ABSOLUTE.id,
    fault: 'none',
    expected: 'SAFE',
    async run(run) {
      const replica = await replicaInStep(run);
      await run.buyer('B', 2, { strategy: 'cas-version' }).finish();
      await resumeReplica(run, replica);
      await run.buyer('A', 1).finish();
      run.recorder.expectOrder('B sold', 'replica in step', 'A sold');
      return { why: 'The replica had B’s sale when A read it. Nothing but luck made it so.' };
    },
  },
];
