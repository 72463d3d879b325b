import { failOver, masterWithReplica, severReplication } from '../../faults/failover.js';
import { type Scene } from '../scene.js';
import { whileRedisForgets } from './forgetful-redis.js';
import { type Scenario } from './scenario.js';

/** The master dies before its replica has heard of A; the replica takes over. */
export const FAILOVER: Scenario = {
  fault: 'failover',
  title: 'Failover that loses the last write',
  claims: ['C16'],
  claimsOf: { 'fencing-token': ['P7'], 'redis-decr': ['P11'], 'redis-lua': ['P11'] },
  lease: 'long',
  stock: 1,
  appliesTo: ({ needs }) => {
    if (needs.includes('redlock'))
      return 'Its masters have no replicas. What happens to one that has: redlock-replica-behind.';
    return needs.includes('redis') || 'It does not use Redis.';
  },
  run: (scene, strategy) => whileRedisForgets(scene, strategy, failover(scene)),
};

function failover(scene: Scene) {
  const { redis } = scene.stage;
  let replica = redis.node;
  return {
    prepare: async () => {
      const pair = await masterWithReplica(scene);
      replica = pair.replica;
      await scene.connected(1);
      await scene.stock(1);
      await severReplication(scene, pair.master, replica);
    },
    forget: () => failOver(scene, redis, replica),
  };
}
