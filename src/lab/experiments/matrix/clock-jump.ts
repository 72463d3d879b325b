import { clockMissing, LooseClock } from '../../faults/clock-jump.js';
import { whileMasterLosesData } from './master-loses-data.js';
import { whileRedisLosesData } from './redis-loses-data.js';
import { needsRedis, type Scenario } from './scenario.js';

/** The clock of Redis jumps by an hour: every lease expires, and A does not know it. */
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
  run: (run, strategy) => {
    const clock = new LooseClock(run.testBed.file('redis-clock'));
    if (strategy.needs.includes('redlock')) {
      return whileMasterLosesData(run, {
        told: 'the clock jumps by an hour: the vote on master 3 expires',
        clock,
        prepare: () => Promise.resolve(),
        loseData: (third) => clock.jump(run, third),
      });
    }
    const { redis } = run.testBed;
    return whileRedisLosesData(run, strategy, {
      prepare: () => {
        clock.rewind();
        return redis.replace([], clock.env);
      },
      loseData: async () => {
        await clock.jump(run, redis.node);
        run.fault('redis', 'its clock jumps by an hour', 'Redis forgot');
      },
    });
  },
};
