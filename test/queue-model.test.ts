import fc from 'fast-check';
import { type Redis } from 'ioredis';
import { FairRedisLock, type Lease, type Lock, ReadWriteRedisLock } from '../src/locks/index.js';
import { eventually } from './support/eventually.js';
import { LockRedis } from './support/lock-redis.js';
import { type Person, QueueModel } from './support/queue-model.js';

/** A possible next event; `pick` chooses the client of the event. */
interface Happening {
  readonly kind: 'reader comes' | 'writer comes' | 'release' | 'abort' | 'crash';
  readonly pick: number;
}

/** Long enough that a busy machine does not look like a crash, and short enough to wait for a crashed client. */
const PATIENCE = { watchdogMs: 1200, heartbeatMs: 1200 };

interface Visitor extends Person {
  readonly client: Redis;
  readonly close: () => void;
  readonly caller: AbortController;
  lease?: Lease;
  readonly settled: Promise<unknown>;
}

/** A key in Redis and its model. */
class Scene {
  private readonly model = new QueueModel();
  private readonly visitors = new Map<number, Visitor>();
  private count = 0;
  private readonly tokens: bigint[] = [];

  constructor(
    private readonly redis: LockRedis,
    private readonly key: string,
    private readonly open: (client: Redis) => Record<Person['role'], Lock> & { close: () => void },
  ) {}

  async play({ kind, pick }: Happening): Promise<void> {
    if (kind === 'reader comes') this.arrive('reader');
    else if (kind === 'writer comes') this.arrive('writer');
    else await this.depart(kind, pick);
    await this.agree(kind);
  }

  /** All clients leave. No key may be left. */
  async end(): Promise<void> {
    while (this.visitors.size > 0) await this.play({ kind: 'release', pick: 0 });
    expect(this.tokens).toEqual([...this.tokens].sort((a, b) => Number(a - b)));
    expect(new Set(this.tokens).size).toBe(this.tokens.length);
    expect(await this.redis.waiting(this.key)).toBe(0);
  }

  private arrive(role: Person['role']): void {
    const id = (this.count += 1);
    const client = this.redis.client();
    const { close, ...locks } = this.open(client);
    const caller = new AbortController();
    const settled = locks[role].acquire(this.key, { waitMs: 50_000, signal: caller.signal }).then(
      (lease) => {
        visitor.lease = lease;
        if (lease.token !== undefined) this.tokens.push(lease.token);
      },
      () => undefined,
    );
    const visitor: Visitor = { id, role, client, close, caller, settled };
    this.visitors.set(id, visitor);
    this.model.arrive({ id, role });
  }

  private async depart(how: 'release' | 'abort' | 'crash', pick: number): Promise<void> {
    const able = [...this.visitors.values()].filter(({ lease }) =>
      how === 'crash' ? true : (lease !== undefined) === (how === 'release'),
    );
    const visitor = able[pick % able.length];
    if (!visitor) return;
    this.visitors.delete(visitor.id);
    if (how === 'release') expect(await visitor.lease?.release()).toBe(true);
    if (how === 'abort') {
      visitor.caller.abort(new Error('gone home'));
      await visitor.settled;
    }
    // It sends nothing more to Redis, as after SIGKILL.
    visitor.client.disconnect();
    visitor.close();
    this.model.depart(visitor.id);
  }

  private async agree(after: string): Promise<void> {
    const holding = () =>
      [...this.visitors.values()]
        .filter(({ lease }) => lease !== undefined)
        .map(({ id }) => id)
        .sort((a, b) => a - b);
    const expected = this.model.holding.join();
    await eventually(`after "${after}" [${expected}] hold, not [${holding().join()}]`, async () => {
      return (
        holding().join() === expected && (await this.redis.waiting(this.key)) === this.model.waiting.length
      );
    });
  }
}

const redis = new LockRedis();
afterAll(() => {
  redis.close();
});

const happening = (kinds: readonly { weight: number; kind: Happening['kind'] }[]) =>
  fc.record({
    kind: fc.oneof(...kinds.map(({ weight, kind }) => ({ weight, arbitrary: fc.constant(kind) }))),
    pick: fc.nat(20),
  });
const LEAVING = [
  { weight: 4, kind: 'release' },
  { weight: 2, kind: 'abort' },
  { weight: 1, kind: 'crash' },
] as const;

/** fast-check prints the seed and the shortest sequence that fails. */
async function check(
  name: string,
  kinds: readonly { weight: number; kind: Happening['kind'] }[],
  open: ConstructorParameters<typeof Scene>[2],
): Promise<void> {
  let scenes = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(happening(kinds), { minLength: 4, maxLength: 24 }), async (story) => {
      const scene = new Scene(redis, `${name} ${(scenes += 1)}`, open);
      for (const next of story) await scene.play(next);
      await scene.end();
    }),
    { numRuns: 12, interruptAfterTimeLimit: 45_000, markInterruptAsFailure: false },
  );
}

test('the fair lock behaves like its model in every order of arrivals, releases, timeouts and crashes', async () => {
  await check('fair', [{ weight: 7, kind: 'writer comes' }, ...LEAVING], (client) => {
    const lock = new FairRedisLock(client, { prefix: redis.prefix, ...PATIENCE });
    return {
      reader: lock,
      writer: lock,
      close: () => {
        lock.close();
      },
    };
  });
});

test('the read/write lock behaves like its model in every order of arrivals, releases, timeouts and crashes', async () => {
  const coming = [
    { weight: 5, kind: 'reader comes' },
    { weight: 3, kind: 'writer comes' },
  ] as const;
  await check('read/write', [...coming, ...LEAVING], (client) => {
    const lock = new ReadWriteRedisLock(client, { prefix: redis.prefix, ...PATIENCE });
    return {
      reader: lock.read,
      writer: lock.write,
      close: () => {
        lock.close();
      },
    };
  });
});
