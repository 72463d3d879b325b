import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Buyer } from '../src/lab/test-bed/buyer.js';
import { type Evidence, type ProvenFault } from '../src/contract/evidence.js';
import { EvidenceStore } from '../src/lab/evidence/evidence-store.js';
import { type Experiment } from '../src/lab/experiments/experiment.js';
import { ExperimentRunner } from '../src/lab/experiments/experiment-runner.js';
import { type RedisDataLoss, whileRedisLosesData } from '../src/lab/experiments/matrix/redis-loses-data.js';
import { lead } from '../src/lab/experiments/matrix/scenario.js';
import { mariadbMissing } from '../src/lab/engines/missing.js';
import { type ExperimentRun } from '../src/lab/test-bed/experiment-run.js';
import { askAgainAfterCommit } from '../src/lab/experiments/stories/commit-unanswered.js';
import { STORIES } from '../src/lab/experiments/stories/index.js';
import { cutPower, markAof } from '../src/lab/faults/aof-cut.js';
import { blockEventLoop } from '../src/lab/faults/blocked-event-loop.js';
import { LooseClock } from '../src/lab/faults/clock-jump.js';
import { killDatabase } from '../src/lab/faults/database-kill.js';
import { restartEmpty } from '../src/lab/faults/empty-restart.js';
import { evict } from '../src/lab/faults/eviction.js';
import { failOver, masterWithReplica } from '../src/lab/faults/failover.js';
import { kill } from '../src/lab/faults/kill.js';
import { pause, resume } from '../src/lab/faults/pause.js';
import { freeze } from '../src/lab/processes/freeze.js';
import { proveAlone } from '../src/lab/faults/sentinel-failover.js';
import { fallBehind, replicaInStep } from '../src/lab/faults/stale-replica.js';
import { TcpProxy } from '../src/lab/tcp-proxy.js';
import { freePort } from '../src/lab/ports.js';
import { type Node } from '../src/lab/topologies/node.js';

let folder: string;
let runner: ExperimentRunner;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstock-evidence-'));
  runner = await ExperimentRunner.open(new EvidenceStore(folder));
}, 120_000);
afterAll(async () => {
  await runner.close();
  rmSync(folder, { recursive: true });
});

/** A copy of the object with some of its members replaced. */
function butFor<T extends object>(original: T, changes: Readonly<Record<string, unknown>>): T {
  const properties = Object.entries(changes).map(([name, value]) => [name, { value }] as const);
  return Object.create(original, Object.fromEntries(properties)) as T;
}

/** A buyer whose instance ignores the instructions of the experiment. */
function disobedient(buyer: Buyer): Buyer {
  return butFor(buyer, {
    act: () => {
      buyer.act({ do: 'go' });
    },
  });
}

/** What the experiment does to Redis while A is between its read and its write. */
function losesData(run: ExperimentRun, loss: RedisDataLoss) {
  const strategy = runner.strategies.find(({ name }) => name === run.strategy);
  if (!strategy) throw new Error(run.strategy);
  return whileRedisLosesData(run, strategy, loss);
}

function told(run: ExperimentRun, id: string) {
  const story = STORIES.find((one) => one.id === id);
  if (!story) throw new Error(id);
  return story.run(run);
}

/** A has read, the injector misses, B buys, and A continues. */
async function around(run: ExperimentRun, fault: (a: Buyer) => Promise<unknown>) {
  const [a, b] = [run.buyer('A', 1), run.buyer('B', 2)];
  await a.runUntil(['beforeLock']);
  await fault(a);
  await a.finish();
  await b.finish();
  run.recorder.expectOrder('A beforeLock', 'A sold', 'B refused');
  return { why: 'Nobody was hit who mattered.' };
}

/** A strategy that stays safe whatever Redis does, and has no lock in Redis to wait for. */
const REMEMBERS = { strategy: 'redis-decr', lease: 'long' } as const;

/** A fault of a Redis that writes a file and therefore keeps all data. */
function remembers(run: ExperimentRun, miss: (redis: Node) => Promise<void>) {
  const { redis } = run.testBed;
  return losesData(run, {
    prepare: () => redis.replace(),
    loseData: async () => {
      await miss(redis.node);
      run.fault('redis', 'it remembers', 'Redis forgot');
    },
  });
}

interface Miss {
  readonly fault: ProvenFault;
  readonly strategy?: string;
  readonly lease?: Experiment['lease'];
  readonly run: Experiment['run'];
  /** The proof, or the step of the script, that must notice it. */
  readonly noticed: RegExp;
}

const MISSES: Readonly<Record<string, Miss>> = {
  'SIGSTOP for another process than that of the holder': {
    fault: 'pause',
    run: (run) =>
      around(run, async (a) => {
        await freeze(run.instance(3));
        resume(run, a);
      }),
    noticed: /was stopped until now/,
  },
  'an instance that does not die': {
    fault: 'crash',
    run: (run) => around(run, (a) => kill(run, disobedient(a))),
    noticed: /is gone: not within/,
  },
  'an event loop that is not blocked': {
    fault: 'pause',
    run: (run) => around(run, (a) => blockEventLoop(run, disobedient(a))),
    noticed: /answers no request: not within/,
  },
  'kill -9 for another server than the database': {
    fault: 'database-kill',
    run: (run) =>
      around(run, async () => {
        const { testBed } = run;
        await testBed.servers.ensure('redis');
        const servers = butFor(testBed.servers, { mariadb: testBed.servers.redis });
        const changed = butFor(testBed, { servers, reconnect: () => testBed.reconnect() });
        return killDatabase(butFor(run, { testBed: changed }));
      }),
    noticed: /the lab’s own connection to it is broken/,
  },
  'a failover to a replica that has everything': {
    fault: 'failover',
    ...REMEMBERS,
    run: async (run) => {
      const { redis } = run.testBed;
      let replica = redis.node;
      return losesData(run, {
        prepare: async () => ({ replica } = await masterWithReplica(run)),
        loseData: () => failOver(run, redis, replica),
      });
    },
    noticed: /does not have the last writes/,
  },
  'a master under Sentinels that may replicate': {
    fault: 'failover',
    lease: 'long',
    run: async (run) => {
      const { topology, instances } = await run.testBed.sentinel();
      run.onClose(() => topology.stop());
      run.replaceInstances(instances);
      await run.connected(1, 2);
      await run.stock(1);
      const master = await topology.master();
      await master.ask((client) => client.set('lockstock:lock', 'of A'));
      return around(run, () => proveAlone(run, master, 'lockstock:lock'));
    },
    noticed: /is on the master alone/,
  },
  'an empty restart of a Redis that has a file': {
    fault: 'empty-restart',
    ...REMEMBERS,
    run: (run) => remembers(run, (redis) => restartEmpty(run, redis)),
    noticed: /has lost its keys/,
  },
  'a power cut that takes nothing of the file': {
    fault: 'power-cut',
    ...REMEMBERS,
    run: (run) => remembers(run, async (redis) => cutPower(run, redis, await markAof(redis))),
    noticed: /the end of its file is lost/,
  },
  'a clock that no server looks at': {
    fault: 'clock-jump',
    ...REMEMBERS,
    run: (run) =>
      remembers(run, (redis) => new LooseClock(run.testBed.file('nobodys-clock')).jump(run, redis)),
    noticed: /^the clock of .* jumped/,
  },
  'eviction in a Redis that nobody uses': {
    fault: 'eviction',
    ...REMEMBERS,
    run: (run) => remembers(run, async () => evict(run, await run.testBed.redis.start(), 'volatile-ttl')),
    noticed: /Redis evicted keys of the shop/,
  },
  'answers that are late on a wire that nobody uses': {
    fault: 'latency',
    strategy: 'setnx-watchdog',
    run: async (run) => {
      const databaseWire = await TcpProxy.to(run.testBed.servers.addresses.databasePort);
      run.onClose(() => databaseWire.close());
      const testBed = butFor(run.testBed, { databaseWire });
      return told(butFor(run, { testBed }), 'slow-database-watchdog');
    },
    noticed: /^A has worked for longer than its lease/,
  },
  'a wire that leads to another port than that of the database': {
    fault: 'lost-reply',
    run: async (run) => {
      const wire = await TcpProxy.to(await freePort());
      run.onClose(() => wire.close());
      return askAgainAfterCommit(run, { lost: 'the answer', key: 'purchase-of-A', wire });
    },
    noticed: /^the answer is lost: not within/,
  },
  'a message that is lost on a wire that nobody uses': {
    fault: 'lost-message',
    strategy: 'reentrant',
    lease: 'long',
    run: async (run) => {
      const wire = await TcpProxy.to(run.testBed.redis.node.port);
      run.onClose(() => wire.close());
      const testBed = butFor(run.testBed, { redis: butFor(run.testBed.redis, { wire }) });
      return told(butFor(run, { testBed }), 'bounded-wait');
    },
    noticed: /^a message is lost: not within/,
  },
  ...(mariadbMissing() === undefined && {
    'a replica that goes on': {
      fault: 'stale-replica',
      run: async (run: ExperimentRun) => {
        const replica = await replicaInStep(run);
        const goesOn = { stopApplying: () => Promise.resolve() };
        return around(run, () => fallBehind(run, butFor(replica, goesOn)));
      },
      noticed: /receives changes and does not apply them/,
    },
  }),
};

describe('an experiment whose injector misses fails', () => {
  test.each(Object.keys(MISSES))('%s', async (title) => {
    const { fault, strategy = 'lease-seq', lease = 'short', run, noticed } = MISSES[title] as Miss;
    const evidence = await runner.perform({
      id: 'miss',
      title,
      claims: [],
      strategy,
      fault,
      expected: 'holds',
      lease,
      stock: 1,
      instances: 3,
      run,
    });
    // The strategy was safe, but the experiment is no evidence for that.
    expect([evidence.verdict, evidence.ok]).toEqual([expect.stringMatching(/^(SAFE|BLOCKED)$/), false]);
    expect(doubts(evidence)).toContainEqual(expect.stringMatching(noticed));
  });

  const doubts = ({ proofs }: Evidence) =>
    proofs.filter(({ ok }) => !ok).flatMap(({ what, seen }) => [what, seen]);

  test.each<[what: string, inject: (run: ExperimentRun, a: Buyer) => Promise<void>]>([
    ['anything but its fault', () => Promise.resolve()],
    [
      'another fault than its own',
      async (run, a) => {
        await pause(run, a);
        resume(run, a);
      },
    ],
  ])('a script that proves %s', async (_, inject) => {
    const { ok, proofs, order } = await runner.perform({
      id: 'unproven',
      title: 'A fault that is only said',
      claims: [],
      strategy: 'lease-seq',
      fault: 'empty-restart',
      expected: 'SAFE',
      lease: 'short',
      stock: 1,
      run: async (run) => {
        const a = run.buyer('A', 1);
        await a.runUntil(['beforeLock']);
        await inject(run, a);
        const { kind } = await a.finish();
        run.prove('A has bought', kind, kind === 'sold');
        run.recorder.expectOrder('A sold');
        return { why: 'Nothing went wrong.' };
      },
    });
    expect([ok, proofs.every((proof) => proof.ok), order.ok]).toEqual([false, true, true]);
  });
});

describe('a buyer that is moved to a checkpoint', () => {
  /** A buyer that is refused before it reaches a checkpoint. */
  const sentAway = (status: number) => ({
    runUntil: () => Promise.resolve('answered'),
    answer: () => Promise.resolve({ kind: 'refused', status, type: 'lock-lost' }),
  });

  test.each([
    ['comes back when told to', 503, 'afterRead'],
    ['does not when told that it is over', 409, undefined],
  ])('%s', async (_, status, place) => {
    let stands: string | undefined;
    await runner.perform({
      id: 'led',
      title: 'A is sent away on its way',
      claims: [],
      strategy: 'for-update',
      fault: 'pause',
      expected: 'SAFE',
      lease: 'short',
      stock: 1,
      run: async (run) => {
        const buyers = [sentAway(status), run.buyer('A', 1)];
        const a = await lead(butFor(run, { buyer: () => buyers.shift() }), 'A', 1, ['afterRead']);
        stands = a.place;
        return { why: 'It was only led.' };
      },
    });
    expect(stands).toBe(place);
  });
});
