import { type CoordinationService, placeOfA, proveSessionLost } from '../../faults/lost-session.js';
import { pause, resume } from '../../faults/pause.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { lead } from '../matrix/scenario.js';
import { engineMissing } from '../../engines/missing.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

const NAMES: Readonly<Record<CoordinationService, string>> = { etcd: 'etcd', zookeeper: 'ZooKeeper' };

/** C23: the coordination service grants the lock to the next waiter when the session of a paused holder expires. */
function bare(service: CoordinationService): Experiment {
  return {
    id: `session-lost.${service}`,
    title: `The lock holder is paused until its ${NAMES[service]} session expires`,
    claims: ['C23', 'P3'],
    strategy: service,
    fault: 'pause',
    expected: 'OVERSOLD',
    lease: 'short',
    stock: 1,
    missing: () => engineMissing([service]),
    run: (run) => play(run, service),
  };
}

/** A stops after its last check of the lock; its session expires; B acquires the lock and reads; A resumes. */
async function play(run: ExperimentRun, service: CoordinationService): Promise<Conclusion> {
  const a = await lead(run, 'A', 1, ['beforeCommit']);
  const b = run.buyer('B', 2);
  const place = await placeOfA(run, service);
  await pause(run, a);
  const halt = await b.runUntil(['afterRead'], { orWaits: 'in-server' });
  await proveSessionLost(run, service, place);
  resume(run, a);
  const first = await a.answer();
  const second = await b.finish();
  run.recorder.expectOrder(
    'A beforeCommit',
    'A paused',
    'B afterLock',
    halt === 'there' ? 'B afterRead' : 'B waits',
    'A resumed',
    // A request that waits for the row continues when A commits; either answer may come first.
    ...(halt === 'there' ? [`A ${first.kind}`] : []),
    `B ${second.kind}`,
  );
  run.prove('A bought', first.kind, first.kind === 'sold');
  return {
    why:
      halt === 'there'
        ? 'B held the lock and had read 1 when A resumed and committed: MySQL does not check which of them holds the lock.'
        : 'B wrote the number of its grant to MySQL before it read, so it waited for the row until A had committed.',
  };
}

function guarded(service: CoordinationService): Experiment {
  return {
    ...bare(service),
    id: `session-lost-guarded.${service}`,
    title: `The lock holder is paused until its ${NAMES[service]} session expires; the store gets the number of each grant`,
    strategy: `${service}-guarded`,
    twinOf: `session-lost.${service}`,
    expected: 'SAFE',
  };
}

export const SESSION_LOST: readonly Experiment[] = [
  bare('etcd'),
  guarded('etcd'),
  bare('zookeeper'),
  guarded('zookeeper'),
];
