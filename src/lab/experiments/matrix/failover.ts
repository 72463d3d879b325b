import { failOver, masterWithReplica, severReplication } from '../../faults/failover.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { masterLane } from '../../test-bed/lanes.js';
import { whileReplicaTakesOver } from './master-loses-data.js';
import { type RedisDataLoss, whileRedisLosesData } from './redis-loses-data.js';
import { needsRedis, type Scenario } from './scenario.js';

/** The master is killed before its replica has received A's lock; the replica takes over. */
export const FAILOVER: Scenario = {
  fault: 'failover',
  title: 'Failover that loses the last write',
  label: 'failover',
  claims: ['C16'],
  claimsOf: { 'fencing-token': ['P7'], 'redis-decr': ['P11'], 'redis-lua': ['P11'], redlock: ['C17'] },
  lease: 'long',
  stock: 1,
  appliesTo: (strategy) => strategy.needs.includes('redlock') || needsRedis(strategy),
  run: (run, strategy) =>
    strategy.needs.includes('redlock')
      ? whileReplicaTakesOver(run, {
          told: 'the new master 3 has lost the vote',
          prepare: (third, replica) => severReplication(run, third, replica, masterLane(3).id),
          takeOver: (address, replica) => failOver(run, address, replica),
        })
      : whileRedisLosesData(run, strategy, failover(run)),
};

function failover(run: ExperimentRun): RedisDataLoss {
  const { redis } = run.testBed;
  let replica = redis.node;
  return {
    prepare: async () => ({ replica } = await masterWithReplica(run)),
    beforeA: () => severReplication(run, redis.node, replica),
    loseData: () => failOver(run, redis, replica),
  };
}
