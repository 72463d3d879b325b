import { clockMissing, LooseClock } from '../../faults/clock-jump.js';
import { whileMastersForget } from './forgetful-masters.js';
import { whileRedisForgets } from './forgetful-redis.js';
import { needsRedis, type Scenario } from './scenario.js';

/** The clock of Redis jumps by a minute: every lease in it has ended, and A does not know. */
export const CLOCK_JUMP: Scenario = {
  fault: 'clock-jump',
  title: 'The clock of Redis jumps',
  claims: [],
  claimsOf: { redlock: ['C17', 'P9'] },
  lease: 'long',
  stock: 1,
  missing: clockMissing,
  appliesTo: (strategy) => {
    if (strategy.stock === 'redis') return 'Nothing that it keeps in Redis ends by a clock.';
    return strategy.needs.includes('redlock') || needsRedis(strategy);
  },
  run: (scene, strategy) => {
    const clock = new LooseClock(scene.stage.file('redis-clock'));
    if (strategy.needs.includes('redlock')) {
      return whileMastersForget(scene, {
        clock,
        prepare: () => Promise.resolve(),
        forget: (third) => clock.jump(scene, third),
      });
    }
    const { redis } = scene.stage;
    return whileRedisForgets(scene, strategy, {
      prepare: async () => {
        clock.rewind();
        await redis.replace([], clock.env);
        await scene.connected(1, 2);
        await scene.stock(1);
      },
      forget: async () => {
        await clock.jump(scene, redis.node);
        scene.fault('redis', 'its clock jumps by a minute', 'Redis forgot');
      },
    });
  },
};
