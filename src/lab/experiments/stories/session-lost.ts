import { type CoordinationService, placeOfA, proveSessionLost } from '../../faults/lost-session.js';
import { pause, resume } from '../../faults/pause.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { lead } from '../matrix/scenario.js';
import { engineMissing } from '../../engines/missing.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

const NAMES: Readonly<Record<CoordinationService, string>> = { etcd: 'etcd', zookeeper: 'ZooKeeper' };

/** C23: a majority remembers the lock, and gives it to the next when its holder sleeps through the session. */
function bare(service: CoordinationService): Experiment {
  return {
    id: `session-lost.${service}`,
    title: `The holder sleeps through its session in ${NAMES[service]}`,
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

/** A stops after its last look at the lock; its session ends; B is granted the lock and reads; A goes on. */
async function play(run: ExperimentRun, service: CoordinationService): Promise<Conclusion> {
  const a = await lead(run, 'A', 1, ['beforeCommit']);
  const b = run.buyer('B', 2);
  const place = await placeOfA(run, service);
  await pause(run, a);
  const halt = await b.runUntil(['afterRead'], { orWaits: 'in-mysql' });
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
    // Who waited at the row goes on when A has committed; which of the two answers comes first is open.
    ...(halt === 'there' ? [`A ${first.kind}`] : []),
    `B ${second.kind}`,
  );
  run.prove('A was sold what it had come for', first.kind, first.kind === 'sold');
  return {
    why:
      halt === 'there'
        ? 'B held the lock and had read 1 when A woke up and committed: nothing told MySQL whose turn it was.'
        : 'B had to tell MySQL the number of its grant before it read, and so waited at the row until A had committed.',
  };
}

function guarded(service: CoordinationService): Experiment {
  return {
    ...bare(service),
    id: `session-lost-guarded.${service}`,
    title: `The same, and the store is told the number of each grant: ${NAMES[service]}`,
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
