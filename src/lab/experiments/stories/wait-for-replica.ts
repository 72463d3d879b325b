import { failOver, follow, masterWithReplica, replicaOf, severReplication } from '../../faults/failover.js';
import { pause, resume } from '../../faults/pause.js';
import { type Experiment } from '../experiment.js';
import { lockKey } from '../../test-bed/lock-keys.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

const LOCK = lockKey('wait-for-replica');

/** C19: WAIT reduces the risk but does not remove it: the replica that has the lock is not the one that is promoted. */
const OTHER_PROMOTED: Experiment = {
  id: 'wait-other-promoted',
  title: 'WAIT: one replica has the lock, the other is promoted',
  claims: ['C16', 'C19'],
  strategy: 'wait-for-replica',
  fault: 'failover',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  run: (run) => play(run, 'the promoted one'),
};

async function play(run: ExperimentRun, cut: 'the promoted one' | 'both') {
  const { redis } = run.testBed;
  const { master, replica } = await masterWithReplica(run);
  const other = await replicaOf(run, master);
  await run.connected(1);
  await run.stock(1);
  await severReplication(run, master, replica);
  if (cut === 'both') await severReplication(run, master, other);
  const a = run.buyer('A', 1);
  const halt = await a.runUntil(['afterRead']);
  if (halt === 'there') await pause(run, a);
  const copies = await other.ask((client) => client.exists(LOCK));
  run.prove(
    cut === 'both' ? 'no replica has a lock of A' : 'the other replica has A’s lock',
    `EXISTS ${copies}`,
    copies === (cut === 'both' ? 0 : 1),
  );
  await failOver(run, redis, replica);
  await follow(run, replica, other);
  await run.connected(2);
  const second = await run.buyer('B', 2).finish();
  if (halt === 'there') resume(run, a);
  const first = await a.answer();
  run.prove('B’s lock was on a replica, and B bought', second.kind, second.kind === 'sold');
  if (cut === 'both') {
    const refused = first.kind === 'refused' && first.type === 'engine-unavailable';
    run.prove('A was refused because no replica had its lock', refused ? first.type : first.kind, refused);
    run.recorder.expectOrder('link cut', 'link cut', 'A refused', 'Redis forgot', 'B sold');
    return {
      why: 'A’s lock was on the old master alone, so WAIT failed and A was refused; the new master granted the lock to B.',
    };
  }
  run.recorder.expectOrder('link cut', 'A paused', 'Redis forgot', 'B sold', 'A resumed', `A ${first.kind}`);
  return {
    why: 'One replica had A’s lock, as WAIT requires; the other became master and granted the lock to B as well.',
  };
}

export const WAIT_FOR_REPLICA: readonly Experiment[] = [
  OTHER_PROMOTED,
  {
    ...OTHER_PROMOTED,
    id: 'wait-refused',
    title: 'WAIT: no replica has the lock, so the client is refused',
    twinOf: OTHER_PROMOTED.id,
    expected: 'SAFE',
    run: (run) => play(run, 'both'),
  },
];
