import fc from 'fast-check';
import { RedisExclusiveEngine } from '../src/locks/redis/exclusive-engine.js';
import { MemoryServer } from './lock-explorer/memory-server.js';
import { LockRedis } from './support/lock-redis.js';

const redis = new LockRedis();
afterAll(() => {
  redis.close();
});

/** So long that a lease ends only by a command. */
const LEASE_MS = 600_000;
/** The tokens of each owner's attempts: an owner that sends its attempt again asks for the same number. */
const TOKENS = { 'client-1:1': 1, 'client-1:2': 3, 'client-2:1': 1, 'client-2:2': 5 } as const;
const owner = fc.constantFrom(...(Object.keys(TOKENS) as (keyof typeof TOKENS)[]));
const command = fc.record({
  verb: fc.constantFrom('attempt', 'attempt', 'renew', 'free', 'expire' as const),
  key: fc.constantFrom('a', 'b'),
  owner,
});

test('the in-memory server answers every sequence of commands as Redis does', async () => {
  const client = redis.client();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 30 }), async (commands) => {
      const prefix = `${redis.prefix}${(runs += 1)}:`;
      const engine = new RedisExclusiveEngine(client, { prefix });
      const memory = new MemoryServer(
        () => 0,
        () => 0,
      );
      for (const { verb, key, owner } of commands) {
        const tokens = TOKENS[owner];
        if (verb === 'expire') {
          memory.expire(key);
          await redis.lab.del(`${prefix}{${key}}`);
        } else if (verb === 'attempt') {
          const [real, model] = [
            await engine.attempt(key, owner, LEASE_MS, tokens),
            memory.attempt(key, owner, LEASE_MS, tokens),
          ];
          if (real.granted || model.granted) expect(real).toEqual(model);
          else expect(real.retryMs).toBeGreaterThan(LEASE_MS - 60_000);
        } else if (verb === 'renew') {
          expect(await engine.renew(key, owner, LEASE_MS)).toBe(memory.renew(key, owner, LEASE_MS));
        } else {
          expect(await engine.free(key, owner)).toEqual(memory.free(key, owner));
        }
        const held = await redis.lab.get(`${prefix}{${key}}`);
        expect(held?.replace('+', '')).toBe(memory.owner(key));
      }
      engine.close();
    }),
    { numRuns: 200 },
  );
});
