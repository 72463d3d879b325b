import { restartEmpty } from '../../faults/empty-restart.js';
import { whileMasterLosesData } from './master-loses-data.js';
import { whileRedisLosesData } from './redis-loses-data.js';
import { needsRedis, type Scenario } from './scenario.js';

/** Redis without persistence is killed and restarted: A's lock is lost. */
export const EMPTY_RESTART: Scenario = {
  fault: 'empty-restart',
  title: 'Redis restarts empty',
  label: 'Redis empty',
  claims: [],
  claimsOf: { redlock: ['C17', 'P8'] },
  lease: 'long',
  stock: 1,
  appliesTo: (strategy) => strategy.needs.includes('redlock') || needsRedis(strategy),
  run: (run, strategy) => {
    if (strategy.needs.includes('redlock')) {
      return whileMasterLosesData(run, {
        told: 'master 3 is killed and restarts without its data',
        prepare: (third) => third.ask((client) => client.config('SET', 'appendonly', 'no')),
        loseData: (third) => restartEmpty(run, third),
      });
    }
    const { redis } = run.testBed;
    return whileRedisLosesData(run, strategy, {
      prepare: () => redis.replace(['appendonly no']),
      loseData: async () => {
        await restartEmpty(run, redis.node);
        run.fault('redis', 'is killed and restarts without its data', 'Redis forgot');
      },
    });
  },
};
