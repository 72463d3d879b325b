import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Buyer } from '../src/lab/experiments/buyer.js';
import { type Evidence, type ProvenFault } from '../src/lab/experiments/evidence.js';
import { EvidenceStore } from '../src/lab/experiments/evidence-store.js';
import { type Experiment } from '../src/lab/experiments/experiment.js';
import { Laboratory } from '../src/lab/experiments/laboratory.js';
import { type Forgetting, whileRedisForgets } from '../src/lab/experiments/matrix/forgetful-redis.js';
import { lead } from '../src/lab/experiments/matrix/scenario.js';
import { mariadbMissing } from '../src/lab/experiments/missing.js';
import { type Scene } from '../src/lab/experiments/scene.js';
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
import { freeze, pause, resume } from '../src/lab/faults/pause.js';
import { proveAlone } from '../src/lab/faults/sentinel-failover.js';
import { fallBehind, replicaInStep } from '../src/lab/faults/stale-replica.js';
import { TcpProxy } from '../src/lab/faults/tcp-proxy.js';
import { freePort } from '../src/lab/ports.js';
import { type Node } from '../src/lab/topologies/node.js';

let folder: string;
let laboratory: Laboratory;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstock-evidence-'));
  laboratory = await Laboratory.open(new EvidenceStore(folder));
}, 120_000);
afterAll(async () => {
  await laboratory.close();
  rmSync(folder, { recursive: true });
});

/** Something that is as it was, but for these of its parts. */
function butFor<T extends object>(original: T, changes: Readonly<Record<string, unknown>>): T {
  const properties = Object.entries(changes).map(([name, value]) => [name, { value }] as const);
  return Object.create(original, Object.fromEntries(properties)) as T;
}

/** A buyer whose instance goes on, whatever it is told to do. */
function disobedient(buyer: Buyer): Buyer {
  return butFor(buyer, {
    obey: () => {
      buyer.obey({ do: 'go' });
    },
  });
}

/** What Redis is to do while A is between looking and writing. */
function forgets(scene: Scene, forgetting: Forgetting) {
  const strategy = laboratory.strategies.find(({ name }) => name === scene.strategy);
  if (!strategy) throw new Error(scene.strategy);
  return whileRedisForgets(scene, strategy, forgetting);
}

function told(scene: Scene, id: string) {
  const story = STORIES.find((one) => one.id === id);
  if (!story) throw new Error(id);
  return story.run(scene);
}

/** A has looked; something happens to nobody; B buys; A goes on. */
async function around(scene: Scene, fault: (a: Buyer) => Promise<unknown>) {
  const [a, b] = [scene.buyer('A', 1), scene.buyer('B', 2)];
  await a.runUntil(['beforeLock']);
  await fault(a);
  await a.finish();
  await b.finish();
  scene.recorder.expectOrder('A beforeLock', 'A sold', 'B refused');
  return { why: 'Nobody was hit who mattered.' };
}

/** A strategy that holds whatever Redis does, and in which nobody waits for a lock that Redis has not forgotten. */
const REMEMBERS = { strategy: 'redis-decr', lease: 'long' } as const;

/** Something is done to a Redis that keeps a file, and it remembers everything. */
function remembers(scene: Scene, miss: (redis: Node) => Promise<void>) {
  const { redis } = scene.stage;
  return forgets(scene, {
    prepare: () => redis.replace(),
    forget: async () => {
      await miss(redis.node);
      scene.fault('redis', 'it remembers', 'Redis forgot');
    },
  });
}

interface Miss {
  readonly fault: ProvenFault;
  readonly strategy?: string;
  readonly lease?: Experiment['lease'];
  readonly run: Experiment['run'];
  /** The proof, or the step of the script, that notices. */
  readonly noticed: RegExp;
}

const MISSES: Readonly<Record<string, Miss>> = {
  'SIGSTOP for another process than that of the holder': {
    fault: 'pause',
    run: (scene) =>
      around(scene, async (a) => {
        await freeze(scene.instance(3));
        resume(scene, a);
      }),
    noticed: /was stopped until now/,
  },
  'an instance that does not die': {
    fault: 'crash',
    run: (scene) => around(scene, (a) => kill(scene, disobedient(a))),
    noticed: /is gone: not within/,
  },
  'an event loop that is not blocked': {
    fault: 'pause',
    run: (scene) => around(scene, (a) => blockEventLoop(scene, disobedient(a))),
    noticed: /answers nobody: not within/,
  },
  'kill -9 for another server than the database': {
    fault: 'database-kill',
    run: (scene) =>
      around(scene, () => {
        const { stage } = scene;
        const servers = butFor(stage.servers, { mariadb: stage.servers.redlock[0] });
        const changed = butFor(stage, { servers, reconnect: () => stage.reconnect() });
        return killDatabase(butFor(scene, { stage: changed }));
      }),
    noticed: /the lab’s own connection to it is broken/,
  },
  'a failover to a replica that has everything': {
    fault: 'failover',
    ...REMEMBERS,
    run: async (scene) => {
      const { redis } = scene.stage;
      let replica = redis.node;
      return forgets(scene, {
        prepare: async () => ({ replica } = await masterWithReplica(scene)),
        forget: () => failOver(scene, redis, replica),
      });
    },
    noticed: /does not have the last writes/,
  },
  'a master under Sentinels that may replicate': {
    fault: 'failover',
    lease: 'long',
    run: async (scene) => {
      const { topology, players } = await scene.stage.sentinel();
      scene.afterwards(() => topology.stop());
      scene.replaceInstances(players);
      await scene.connected(1, 2);
      await scene.stock(1);
      const master = await topology.master();
      await master.ask((client) => client.set('lockstock:lock', 'of A'));
      return around(scene, () => proveAlone(scene, master, 'lockstock:lock'));
    },
    noticed: /the master alone knows it/,
  },
  'an empty restart of a Redis that has a file': {
    fault: 'empty-restart',
    ...REMEMBERS,
    run: (scene) => remembers(scene, (redis) => restartEmpty(scene, redis)),
    noticed: /has forgotten/,
  },
  'a power cut that takes nothing of the file': {
    fault: 'power-cut',
    ...REMEMBERS,
    run: (scene) => remembers(scene, async (redis) => cutPower(scene, redis, await markAof(redis))),
    noticed: /the end of its file is lost/,
  },
  'a clock that no server looks at': {
    fault: 'clock-jump',
    ...REMEMBERS,
    run: (scene) =>
      remembers(scene, (redis) => new LooseClock(scene.stage.file('nobodys-clock')).jump(scene, redis)),
    noticed: /^the clock of .* has jumped/,
  },
  'eviction in a Redis that nobody uses': {
    fault: 'eviction',
    ...REMEMBERS,
    run: (scene) =>
      remembers(scene, async () => evict(scene, await scene.stage.redis.start(), 'volatile-ttl')),
    noticed: /has thrown keys of the shop away/,
  },
  'answers that are late on a wire that nobody uses': {
    fault: 'latency',
    strategy: 'setnx-watchdog',
    run: async (scene) => {
      const databaseWire = await TcpProxy.to(scene.stage.servers.addresses.databasePort);
      scene.afterwards(() => databaseWire.close());
      const stage = butFor(scene.stage, { databaseWire });
      return told(butFor(scene, { stage }), 'slow-database-watchdog');
    },
    noticed: /^A has worked for longer than its lease/,
  },
  'a wire that leads to another port than that of the database': {
    fault: 'lost-reply',
    run: async (scene) => {
      const wire = await TcpProxy.to(await freePort());
      scene.afterwards(() => wire.close());
      return askAgainAfterCommit(scene, { lost: 'the answer', key: 'purchase-of-A', wire });
    },
    noticed: /^the answer is lost: not within/,
  },
  'a message that is lost on a wire that nobody uses': {
    fault: 'lost-message',
    strategy: 'reentrant',
    lease: 'long',
    run: async (scene) => {
      const wire = await TcpProxy.to(scene.stage.redis.node.port);
      scene.afterwards(() => wire.close());
      const stage = butFor(scene.stage, { redis: butFor(scene.stage.redis, { wire }) });
      return told(butFor(scene, { stage }), 'bounded-wait');
    },
    noticed: /^a message is lost: not within/,
  },
  ...(mariadbMissing() === undefined && {
    'a replica that goes on': {
      fault: 'stale-replica',
      run: async (scene: Scene) => {
        const replica = await replicaInStep(scene);
        const goesOn = { stopApplying: () => Promise.resolve() };
        return around(scene, () => fallBehind(scene, butFor(replica, goesOn)));
      },
      noticed: /hears and does not apply/,
    },
  }),
};

describe('an injector that misses turns the experiment red, not green', () => {
  test.each(Object.keys(MISSES))('%s', async (title) => {
    const { fault, strategy = 'lease-seq', lease = 'short', run, noticed } = MISSES[title] as Miss;
    const evidence = await laboratory.perform({
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
    // The strategy did hold, and yet this is no evidence for it.
    expect([evidence.verdict, evidence.ok]).toEqual([expect.stringMatching(/^(SAFE|BLOCKED)$/), false]);
    expect(doubts(evidence)).toContainEqual(expect.stringMatching(noticed));
  });

  const doubts = ({ proofs }: Evidence) =>
    proofs.filter(({ ok }) => !ok).flatMap(({ what, seen }) => [what, seen]);

  test.each<[what: string, run: (scene: Scene, a: Buyer) => Promise<void>]>([
    ['anything but its fault', () => Promise.resolve()],
    [
      'another fault than its own',
      async (scene, a) => {
        await pause(scene, a);
        resume(scene, a);
      },
    ],
  ])('a script that proves %s', async (_, run) => {
    const { ok, proofs, order } = await laboratory.perform({
      id: 'unproven',
      title: 'A fault that is only said',
      claims: [],
      strategy: 'lease-seq',
      fault: 'empty-restart',
      expected: 'SAFE',
      lease: 'short',
      stock: 1,
      run: async (scene) => {
        const a = scene.buyer('A', 1);
        await a.runUntil(['beforeLock']);
        await run(scene, a);
        const { kind } = await a.finish();
        scene.prove('A has bought', kind, kind === 'sold');
        scene.recorder.expectOrder('A sold');
        return { why: 'Nothing went wrong.' };
      },
    });
    expect([ok, proofs.every((proof) => proof.ok), order.ok]).toEqual([false, true, true]);
  });
});

describe('somebody who is led to a place', () => {
  /** A buyer who is sent away before it has come anywhere. */
  const sentAway = (status: number) => ({
    runUntil: () => Promise.resolve('answered'),
    answer: () => Promise.resolve({ kind: 'refused', status, type: 'lock-lost' }),
  });

  test.each([
    ['comes back when told to', 503, 'afterRead'],
    ['does not when told that it is over', 409, undefined],
  ])('%s', async (_, status, place) => {
    let stands: string | undefined;
    await laboratory.perform({
      id: 'led',
      title: 'A is sent away on its way',
      claims: [],
      strategy: 'for-update',
      fault: 'pause',
      expected: 'SAFE',
      lease: 'short',
      stock: 1,
      run: async (scene) => {
        const buyers = [sentAway(status), scene.buyer('A', 1)];
        const a = await lead(butFor(scene, { buyer: () => buyers.shift() }), 'A', 1, ['afterRead']);
        stands = a.place;
        return { why: 'It was only led.' };
      },
    });
    expect(stands).toBe(place);
  });
});
