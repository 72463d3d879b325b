import { evict } from '../../faults/eviction.js';
import { whileRedisForgets } from './forgetful-redis.js';
import { needsRedis, type Scenario } from './scenario.js';

/** Redis is full and allowed to throw away what it likes: also the lock. */
export const EVICTION: Scenario = {
  fault: 'eviction',
  title: 'Redis evicts the lock',
  claims: ['P14'],
  lease: 'long',
  stock: 1,
  appliesTo: (strategy) =>
    strategy.needs.includes('redlock')
      ? 'Three masters would have to evict the same lock at the same time.'
      : needsRedis(strategy),
  run: (scene, strategy) =>
    whileRedisForgets(scene, strategy, {
      prepare: async () => {
        await scene.stage.redis.replace();
        await scene.connected(1, 2);
        await scene.stock(1);
      },
      forget: async () => {
        await evict(scene, scene.stage.redis.node);
        scene.fault('redis', 'full, and evicts what it holds', 'Redis forgot');
      },
    }),
};
