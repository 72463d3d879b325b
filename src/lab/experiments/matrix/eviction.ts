import { evict } from '../../faults/eviction.js';
import { whileMasterLosesData } from './master-loses-data.js';
import { whileRedisLosesData } from './redis-loses-data.js';
import { needsRedis, type Scenario } from './scenario.js';

/** Redis is full and evicts the key that expires first: the lock. Where it holds the stock, it evicts any key. */
export const EVICTION: Scenario = {
  fault: 'eviction',
  title: 'Redis evicts the lock',
  label: 'eviction',
  claims: ['P14'],
  lease: 'long',
  stock: 1,
  appliesTo: (strategy) => strategy.needs.includes('redlock') || needsRedis(strategy),
  run: (run, strategy) => {
    if (strategy.needs.includes('redlock')) {
      return whileMasterLosesData(run, {
        told: 'master 3 is full and evicts the vote',
        prepare: () => Promise.resolve(),
        loseData: (third) => evict(run, third, 'volatile-ttl'),
      });
    }
    const { redis } = run.testBed;
    return whileRedisLosesData(run, strategy, {
      prepare: () => redis.replace(),
      loseData: async () => {
        await evict(run, redis.node, strategy.stock === 'redis' ? 'allkeys-random' : 'volatile-ttl');
        run.fault('redis', 'is full and evicts keys', 'Redis forgot');
      },
    });
  },
};
