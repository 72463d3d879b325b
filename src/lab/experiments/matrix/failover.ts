import { failOver, masterWithReplica, severReplication } from '../../faults/failover.js';
import { type Scene } from '../scene.js';
import { MASTERS, whileReplicaTakesOver } from './forgetful-masters.js';
import { type Forgetting, whileRedisForgets } from './forgetful-redis.js';
import { needsRedis, type Scenario } from './scenario.js';

/** The master dies before its replica has heard of A; the replica takes over. */
export const FAILOVER: Scenario = {
  fault: 'failover',
  title: 'Failover that loses the last write',
  label: 'failover',
  claims: ['C16'],
  claimsOf: { 'fencing-token': ['P7'], 'redis-decr': ['P11'], 'redis-lua': ['P11'], redlock: ['C17'] },
  lease: 'long',
  stock: 1,
  appliesTo: (strategy) => strategy.needs.includes('redlock') || needsRedis(strategy),
  run: (scene, strategy) =>
    strategy.needs.includes('redlock')
      ? whileReplicaTakesOver(scene, {
          prepare: (third, replica) => severReplication(scene, third, replica, MASTERS),
          takeOver: (address, replica) => failOver(scene, address, replica),
        })
      : whileRedisForgets(scene, strategy, failover(scene)),
};

function failover(scene: Scene): Forgetting {
  const { redis } = scene.stage;
  let replica = redis.node;
  return {
    prepare: async () => ({ replica } = await masterWithReplica(scene)),
    beforeA: () => severReplication(scene, redis.node, replica),
    forget: () => failOver(scene, redis, replica),
  };
}
