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

/** C14: a basket acquires the lock and each of its lines acquires it again; the last release frees it, and no other client can. */
export const REENTRY: readonly Experiment[] = [
  {
    id: 'reentry',
    title: 'The lock holder acquires again; the release of another client is refused',
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
      run.prove('the release of another client is refused', `answer ${refused}`, refused === -1);
      await a.runUntil(['beforeCommit']);
      const still = await holder(run);
      run.prove(
        'A released once and still holds the lock',
        `owner ${still}`,
        still === owner && owner !== '',
      );
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
        why: 'The lock counts how often its owner acquired it: it was free when A had released it as often.',
      };
    },
  },
];

function ask<T>(run: ExperimentRun, question: (client: RedisClient) => Promise<T>): Promise<T> {
  return run.testBed.redis.node.ask(question);
}

/** The owner in Redis, without the suffix that says that waiters exist. */
async function holder(run: ExperimentRun): Promise<string> {
  return ((await ask(run, (client) => client.get(LOCK))) ?? '').replace(/\+$/, '');
}

/** Redisson counts the acquisitions in a Redis hash, so its unlock has three answers. */
async function proveRedissonHash(run: ExperimentRun): Promise<void> {
  const enter = (owner: string) => ask(run, (client) => ENTER.run(client, [HASH], [owner, LEASE_MS]));
  const leave = (owner: string) => ask(run, (client) => LEAVE.run(client, [HASH], [owner]));
  const entries = [await enter('A'), await enter('A'), await enter('B')];
  run.prove(
    'Redisson’s hash counts A’s acquisitions and refuses B',
    entries.join(', '),
    entries.join() === '1,2,0',
  );
  const answers = [await leave('B'), await leave('A'), await leave('A')];
  const expected = 'not mine, still held, released';
  run.prove('its unlock has three answers', answers.join(', '), answers.join(', ') === expected);
}
