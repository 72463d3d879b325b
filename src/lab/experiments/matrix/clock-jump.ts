import { clockMissing, LooseClock } from '../../faults/clock-jump.js';
import { whileMastersForget } from './forgetful-masters.js';
import { whileRedisForgets } from './forgetful-redis.js';
import { needsRedis, type Scenario } from './scenario.js';

/** The clock of Redis jumps by an hour: every lease in it has ended, and A does not know. */
export const CLOCK_JUMP: Scenario = {
  fault: 'clock-jump',
  title: 'The clock of Redis jumps',
  label: 'clock jump',
  claims: [],
  claimsOf: { redlock: ['C17', 'P9'] },
  lease: 'long',
  stock: 1,
  missing: clockMissing,
  appliesTo: (strategy) => strategy.needs.includes('redlock') || needsRedis(strategy),
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
      prepare: () => {
        clock.rewind();
        return redis.replace([], clock.env);
      },
      forget: async () => {
        await clock.jump(scene, redis.node);
        scene.fault('redis', 'its clock jumps by an hour', 'Redis forgot');
      },
    });
  },
};
