import fc from 'fast-check';
import { LockTimeout } from '../src/locks/errors.js';
import { type Lease } from '../src/locks/lock.js';
import { QuorumRedisLock } from '../src/locks/redis/quorum-lock.js';
import { type Memory, RedisNodes, type RedisNode } from './support/redis-nodes.js';

let nodes: RedisNodes;
let locks: readonly QuorumRedisLock[];
beforeAll(async () => {
  nodes = await RedisNodes.start(5);
  locks = [new QuorumRedisLock(await nodes.connect()), new QuorumRedisLock(await nodes.connect())];
});
afterAll(() => nodes.stop());

const nodeNumber = fc.nat({ max: 4 });
const client = fc.nat({ max: 1 });
/** Mostly restarts of nodes and attempts to acquire, because the claim is about them. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('restart'), who: nodeNumber }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('kill', 'start'), who: nodeNumber }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('acquire'), who: client }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('release'), who: client }) },
);

class TwoHolders extends Error {}

/** Two clients, five nodes, and a sequence of events. */
class Story {
  private readonly held: (Lease | undefined)[] = [undefined, undefined];
  private up = 5;

  async happens(does: string, who: number): Promise<void> {
    if (does === 'kill') await this.kill(nodes.all[who] as RedisNode);
    if (does === 'restart') await this.kill(nodes.all[who] as RedisNode);
    if (does === 'start' || does === 'restart') await this.start(nodes.all[who] as RedisNode);
    if (does === 'acquire') await this.acquire(who);
    if (does === 'release') await this.release(who);
  }

  async ends(): Promise<void> {
    await Promise.all([this.release(0), this.release(1)]);
  }

  private async kill(node: RedisNode): Promise<void> {
    if (node.running) this.up -= 1;
    await node.kill();
  }

  private async start(node: RedisNode): Promise<void> {
    if (!node.running) this.up += 1;
    await node.start();
  }

  private async acquire(who: number): Promise<void> {
    if (this.held[who]) return;
    const attempt = (locks[who] as QuorumRedisLock).acquire('key', { waitMs: 50, leaseMs: 300_000 });
    const lease = await attempt.catch((error: unknown) => {
      expect(error).toBeInstanceOf(LockTimeout);
      return undefined;
    });
    this.held[who] = lease;
    if (!lease) return;
    expect(this.up).toBeGreaterThanOrEqual(3);
    if (this.held[1 - who]) throw new TwoHolders();
  }

  private async release(who: number): Promise<void> {
    await this.held[who]?.release();
    this.held[who] = undefined;
  }
}

/** Runs random sequences until one breaks the lock. */
async function tell(memory: Memory, stories: number) {
  for (const node of nodes.all) {
    node.memory = memory;
    await node.kill();
  }
  return fc.check(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 20 }), async (steps) => {
      await nodes.recover();
      const story = new Story();
      try {
        for (const { does, who } of steps) await story.happens(does, who);
      } finally {
        await story.ends();
      }
    }),
    { numRuns: stories, endOnFailure: true },
  );
}

test('nodes that crash and restart with their data: at most one holder, and none without a majority', async () => {
  const told = await tell('remembers', 12);
  expect(told).toMatchObject({ failed: false, counterexample: null });
});

test('the same sequences find two holders when nodes restart empty', async () => {
  const told = await tell('forgets', 60);
  expect(told.errorInstance).toBeInstanceOf(TwoHolders);
});
