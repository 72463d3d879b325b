import { placesIn } from '../../faults/lost-session.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { engineMissing } from '../missing.js';
import { type Scene } from '../scene.js';

type Service = 'etcd' | 'zookeeper';
const NAMES: Readonly<Record<Service, string>> = { etcd: 'etcd', zookeeper: 'ZooKeeper' };

/** C23: a majority remembers the lock, and gives it to the next when its holder sleeps through the session. */
function bare(service: Service): Experiment {
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
    run: (scene) => play(scene, service),
  };
}

/** A stops after its last look at the lock; its session ends; B is granted the lock and reads; A goes on. */
async function play(scene: Scene, service: Service): Promise<Conclusion> {
  const [a, b] = [scene.buyer('A', 1), scene.buyer('B', 2)];
  const places = () => placesIn(service, scene.stage.servers.addresses);
  await a.runUntil(['beforeCommit']);
  const [ofA, ...others] = await places();
  scene.prove('A alone is in the queue', shown([ofA ?? 'nobody', ...others]), others.length === 0);
  await a.pause();
  const halt = await b.runUntil(['afterRead'], { orWaits: 'in-mysql' });
  const now = await places();
  scene.prove(
    `${NAMES[service]} has dropped A and knows B alone`,
    shown(now),
    now.length === 1 && now[0] !== ofA,
  );
  a.resume();
  const first = await a.answer();
  const second = await b.finish();
  scene.recorder.expectOrder(
    'A beforeCommit',
    'A paused',
    'B afterLock',
    halt === 'there' ? 'B afterRead' : 'B waits',
    'A resumed',
    // Who waited at the row goes on when A has committed; which of the two answers comes first is open.
    ...(halt === 'there' ? [`A ${first.kind}`] : []),
    `B ${second.kind}`,
  );
  scene.prove('A was sold what it had come for', first.kind, first.kind === 'sold');
  return {
    why:
      halt === 'there'
        ? 'B held the lock and had read 1 when A woke up and committed: nothing told MySQL whose turn it was.'
        : 'B had to tell MySQL the number of its grant before it read, and so waited at the row until A had committed.',
  };
}

/** The end of a name tells it from another. */
function shown(places: readonly string[]): string {
  return places.map((place) => `…${place.slice(-12)}`).join(', ');
}

function guarded(service: Service): Experiment {
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
