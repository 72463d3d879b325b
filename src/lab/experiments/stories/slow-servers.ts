import { slowDatabase, slowRedis, speedUp } from '../../faults/latency.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { lockKey, SETNX_LOCK } from '../../test-bed/lock-keys.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { waitsUntilDeleted } from './crash-before-expire.js';
import { LEASES } from '../../test-bed/instance-pool.js';

/** Three replies of the database take longer than a short lease. */
const SLOW_MS = 300;
/** Longer than the timeout of an instance for a reply of Redis. */
const TOO_SLOW_MS = 2000;

const KEYS = {
  'setnx-lua': SETNX_LOCK,
  'setnx-watchdog': lockKey('plain'),
  reentrant: lockKey('reentrant'),
} as const;

/** C13: no fault at all, the work only takes longer than the lease. A watchdog is made for this case. */
const DATABASE: Experiment = {
  id: 'slow-database',
  title: 'The database is slow, and the lease expires before the work ends',
  claims: ['C13'],
  strategy: 'setnx-lua',
  fault: 'latency',
  expected: 'OVERSOLD',
  lease: 'short',
  stock: 1,
  run: (run) => playDatabase(run, 'setnx-lua'),
};

async function playDatabase(run: ExperimentRun, strategy: keyof typeof KEYS): Promise<Conclusion> {
  const [a, b] = [run.buyer('A', 1), run.buyer('B', 2)];
  await slowDatabase(run, SLOW_MS);
  const { databaseWire } = run.testBed;
  const before = databaseWire.intercepted;
  await a.runUntil(['afterWrite']);
  // Counted, not timed: on a busy machine A could take longer than its lease without any delay.
  const delayed = SLOW_MS * (databaseWire.intercepted - before);
  const held = await exists(run, strategy);
  const kept = strategy === 'setnx-watchdog';
  run.prove(
    kept ? 'A has worked for longer than its lease and still holds the lock' : 'the lease of A has expired',
    `replies delayed by ${delayed} ms of ${LEASES.short} ms, EXISTS ${held}`,
    delayed > LEASES.short && held === Number(kept),
  );
  const halt = await b.runUntil(['afterRead'], { orWaits: 'anywhere' });
  const first = await a.finish();
  const second = await b.finish();
  run.recorder.expectOrder(
    'mysql slow',
    'A afterRead',
    'A afterWrite',
    `B ${halt === 'there' ? 'afterRead' : 'waits'}`,
    `A ${first.kind}`,
    `B ${second.kind}`,
  );
  return {
    why:
      halt === 'there'
        ? 'A’s lease was not renewed while it waited for the database, so B acquired the lock and read the same stock.'
        : 'A’s lease was renewed as long as A was at work, so B had to wait and found no stock left.',
  };
}

/** C25: Redis grants the lock, but the reply comes after the client's timeout. Does the client release it? */
const REDIS: Experiment = {
  id: 'slow-redis',
  title: 'Redis grants the lock to a client that has timed out',
  claims: ['C15', 'C25'],
  strategy: 'setnx-lua',
  fault: 'latency',
  expected: 'BLOCKED',
  lease: 'long',
  stock: 1,
  run: (run) => playRedis(run, 'setnx-lua'),
};

async function playRedis(run: ExperimentRun, strategy: keyof typeof KEYS): Promise<Conclusion> {
  await slowRedis(run, TOO_SLOW_MS);
  const first = await run.buyer('A', 1).finish();
  const told = first.kind === 'refused' ? first.type : first.kind;
  run.prove('A was told to retry later', told, told === 'engine-unavailable');
  await speedUp(run, { wire: run.testBed.redis.wire, lane: 'redis' });
  await run.connected(2);
  const held = await exists(run, strategy);
  if (held === 1) {
    const blocked = await waitsUntilDeleted(run, KEYS[strategy]);
    run.recorder.expectOrder('redis slow', 'A refused', 'redis fast', 'B waits', 'lock deleted', 'B sold');
    return {
      ...(blocked && { finding: 'BLOCKED' }),
      why: 'Redis had granted the lock to A, which had timed out and never released it: B waited for a lock without a holder.',
    };
  }
  const second = await run.buyer('B', 2).finish();
  run.recorder.expectOrder('redis slow', 'A refused', 'redis fast', `B ${second.kind}`);
  run.prove('A released the lock that it may have been granted', `EXISTS ${held}`, held === 0);
  return { why: 'A could not know whether it held the lock and released it after the timeout: B bought.' };
}

function exists({ testBed }: ExperimentRun, strategy: keyof typeof KEYS): Promise<number> {
  return testBed.redis.node.ask((client) => client.exists(KEYS[strategy]));
}

export const SLOW_SERVERS: readonly Experiment[] = [
  DATABASE,
  {
    ...DATABASE,
    id: 'slow-database-watchdog',
    title: 'The database is slow, and a watchdog renews the lease',
    strategy: 'setnx-watchdog',
    twinOf: DATABASE.id,
    expected: 'SAFE',
    run: (run) => playDatabase(run, 'setnx-watchdog'),
  },
  REDIS,
  {
    ...REDIS,
    id: 'slow-redis-given-back',
    title: 'Redis grants the lock too late, and the client releases it',
    strategy: 'reentrant',
    twinOf: REDIS.id,
    expected: 'SAFE',
    run: (run) => playRedis(run, 'reentrant'),
  },
];
