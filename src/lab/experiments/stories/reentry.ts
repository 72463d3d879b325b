import { type RedisClient, Script } from '../../../locks/index.js';
import { type Experiment } from '../experiment.js';
import { lockKey } from '../../test-bed/lock-keys.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

const LOCK = lockKey('reentrant');
const HASH = lockKey('redisson');
const LEASE_MS = 10_000;

function script<Answer>(path: string): Script<Answer> {
  return new Script(new URL(`../../../${path}`, import.meta.url));
}
const RELEASE = script<number>('locks/redis/plain-release.lua');
const ENTER = script<number>('specimens/redisson-enter.lua');
const LEAVE = script<string>('specimens/redisson-leave.lua');

/** C14: a basket locks, and each of its lines locks again; the last entry to leave frees the lock, and no other client can. */
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
    async run(run) {
      const [a, b] = [run.buyer('A', 1, { basket: true }), run.buyer('B', 2)];
      await a.runUntil(['afterRead']);
      const owner = await holder(run);
      await b.runUntil([], { orWaits: 'anywhere' });
      const refused = await ask(run, (client) =>
        RELEASE.run(client, [LOCK, `${LOCK}:stranger`], ['stranger', `${LOCK}:stranger`]),
      );
      run.prove('a stranger’s unlock is refused', `answer ${refused}`, refused === -1);
      await a.runUntil(['beforeCommit']);
      const still = await holder(run);
      run.prove('A has left once and still holds it', `owner ${still}`, still === owner && owner !== '');
      await a.finish();
      const second = await b.finish();
      run.recorder.expectOrder(
        'A afterLock',
        'A afterLock',
        'B waits',
        'A beforeCommit',
        'A sold',
        `B ${second.kind}`,
      );
      await proveRedissonHash(run);
      return {
        why: 'The lock counts its owner’s entries: it was free when A had left as often as it had entered.',
      };
    },
  },
];

function ask<T>(run: ExperimentRun, question: (client: RedisClient) => Promise<T>): Promise<T> {
  return run.testBed.redis.node.ask(question);
}

/** The owner in Redis, without the mark that others wait. */
async function holder(run: ExperimentRun): Promise<string> {
  return ((await ask(run, (client) => client.get(LOCK))) ?? '').replace(/\+$/, '');
}

/** Where the entries are counted in Redis, as Redisson does, unlock has three answers. */
async function proveRedissonHash(run: ExperimentRun): Promise<void> {
  const enter = (owner: string) => ask(run, (client) => ENTER.run(client, [HASH], [owner, LEASE_MS]));
  const leave = (owner: string) => ask(run, (client) => LEAVE.run(client, [HASH], [owner]));
  const entries = [await enter('A'), await enter('A'), await enter('B')];
  run.prove(
    'Redisson’s hash counts A’s entries and refuses B',
    entries.join(', '),
    entries.join() === '1,2,0',
  );
  const answers = [await leave('B'), await leave('A'), await leave('A')];
  const expected = 'not mine, still held, released';
  run.prove('its unlock has three answers', answers.join(', '), answers.join(', ') === expected);
}
