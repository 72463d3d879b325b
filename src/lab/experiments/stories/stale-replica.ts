import { fallBehind, proveStale, replicaInStep, resumeReplica } from '../../faults/stale-replica.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { mariadbMissing } from '../../engines/missing.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** C7, P21: the version is read from a replica that lags, so every compare-and-set fails. */
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

/** The replica stops applying; B sells on the primary; A buys with the data of the replica. */
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
      return { why: 'A wrote what it had computed from its read.' };
    }
    const third = await run.buyer('C', 1).finish();
    run.prove('only the lag had stopped A', `C ${third.kind}`, third.kind === 'sold');
    run.recorder.expectOrder('replica stops', 'B sold', 'A refused', 'replica in step', 'C sold');
    return {
      finding: 'BLOCKED',
      why: 'The version on the replica was old at every attempt, so the primary refused them all, and two were left.',
    };
  } finally {
    await replica.goOn();
  }
}

/** The same without a version: A writes back stock that was already sold. */
const ABSOLUTE: Experiment = {
  ...CAS,
  id: 'stale-replica-absolute',
  title: 'Under a lock, the stock is read from a replica that lags',
  strategy: 'replica-absolute',
  expected: 'LOST-UPDATE',
  run: async (run) => ({
    ...(await play(run)),
    why: 'A held the lock alone, read the stock before B’s sale from the replica, and overwrote B’s sale.',
  }),
};

/** The twins: a replica without lag, and a read from the primary. */
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
    title: 'Under a lock, the stock is read from a replica without lag',
    twinOf: ABSOLUTE.id,
    fault: 'none',
    expected: 'SAFE',
    async run(run) {
      const replica = await replicaInStep(run);
      await run.buyer('B', 2, { strategy: 'cas-version' }).finish();
      await resumeReplica(run, replica);
      await run.buyer('A', 1).finish();
      run.recorder.expectOrder('B sold', 'replica in step', 'A sold');
      return { why: 'The replica had B’s sale when A read it. Nothing guarantees that.' };
    },
  },
];
