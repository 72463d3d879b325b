import { Script } from '../../../locks/index.js';
import { type Experiment } from '../experiment.js';
import { lockKey } from '../lock-keys.js';
import { type Scene } from '../scene.js';

const LOCK = lockKey('reentrant');
const RELEASE = new Script<[outcome: number, heard: number]>(
  new URL('../../../locks/redis/reentrant-release.lua', import.meta.url),
);

/** C14: a basket locks, and each of its lines locks once more; the last to leave frees it, and nobody else can. */
export const REENTRY: readonly Experiment[] = [
  {
    id: 'reentry',
    title: 'The holder enters again; a stranger’s unlock is refused',
    claims: ['C14'],
    strategy: 'reentrant',
    fault: 'none',
    expected: 'SAFE',
    lease: 'long',
    stock: 2,
    async run(scene) {
      const [a, b] = [scene.buyer('A', 1, { basket: true }), scene.buyer('B', 2)];
      await a.runUntil(['afterRead']);
      await proveEntries(scene, 2, 'A is inside twice');
      await b.runUntil([], { orWaits: 'anywhere' });
      const [outcome] = await scene.stage.redis.node.ask((client) =>
        RELEASE.run(client, [LOCK, `${LOCK}:stranger`], ['stranger', 'request', `${LOCK}:stranger`]),
      );
      scene.prove('a stranger’s unlock is told “not yours”', `answer ${outcome}`, outcome === 0);
      await a.runUntil(['beforeCommit']);
      await proveEntries(scene, 1, 'A has left once and still holds it');
      await a.finish();
      const second = await b.finish();
      scene.recorder.expectOrder(
        'A afterLock',
        'A afterLock',
        'B waits',
        'A beforeCommit',
        'A sold',
        `B ${second.kind}`,
      );
      return {
        why: 'The lock counts its owner’s entries: it was free when A had left as often as it had entered.',
      };
    },
  },
];

/** The hash has the owner and its count; fields of the lock itself begin with #. */
async function proveEntries(scene: Scene, wanted: number, what: string): Promise<void> {
  const fields = await scene.stage.redis.node.ask((client) => client.hgetall(LOCK));
  const counts = Object.entries(fields).flatMap(([name, value]) =>
    name.startsWith('#') ? [] : Number(value),
  );
  scene.prove(what, `HGETALL: ${counts.join(', ')} entries`, counts.length === 1 && counts[0] === wanted);
}
