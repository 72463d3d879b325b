import { pause, resume } from '../../faults/pause.js';
import { forbidReplication, letSentinelsFailOver, proveAlone } from '../../faults/sentinel-failover.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { lockKey, SETNX_LOCK } from '../../test-bed/lock-keys.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { LEASES } from '../../test-bed/instance-pool.js';

/** C16: an automatic failover. The master is killed; three Sentinels detect it, agree, and promote a replica. */
const PLAIN: Experiment = {
  id: 'sentinel-failover',
  title: 'Sentinel promotes a replica that never received the lock',
  claims: ['C16'],
  strategy: 'setnx-lua',
  fault: 'failover',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  run: (run) => play(run, SETNX_LOCK),
};

async function play(run: ExperimentRun, lock: string): Promise<Conclusion> {
  const { topology, instances } = await run.testBed.sentinel();
  run.onClose(() => topology.stop());
  run.replaceInstances(instances);
  await run.connected(1, 2);
  await run.stock(1);
  run.recorder.addActor({ id: 'redis', kind: 'redis', label: 'Redis by Sentinel' });
  const master = await topology.master();
  await forbidReplication(run, master);
  const a = run.buyer('A', 1);
  await a.runUntil(['afterRead']);
  await pause(run, a);
  await proveAlone(run, master, lock);
  const tookMs = await letSentinelsFailOver(run, topology, lock);
  const seconds = (tookMs / 1000).toFixed(1);
  run.prove(
    'A’s lease had not expired',
    `after ${seconds} s, lease ${LEASES.long / 1000} s`,
    tookMs < LEASES.long,
  );
  await run.connected(2);
  const second = await run.buyer('B', 2).finish();
  resume(run, a);
  const first = await a.answer();
  run.recorder.expectOrder(
    'link cut',
    'A paused',
    'master killed',
    'Sentinel promoted',
    `B ${second.kind}`,
    'A resumed',
    `A ${first.kind}`,
  );
  return {
    why:
      first.kind === 'sold'
        ? 'The new master granted the lock to B as well, before A’s lease expired: both sold.'
        : 'The new master granted the lock to B as well, but the store had accepted B’s token and refused A’s.',
  };
}

export const SENTINEL_FAILOVER: readonly Experiment[] = [
  PLAIN,
  {
    ...PLAIN,
    id: 'sentinel-failover-fenced',
    title: 'Sentinel promotes a replica without the lock; the store compares tokens',
    claims: ['C16', 'C18'],
    strategy: 'fencing-token',
    twinOf: PLAIN.id,
    expected: 'SAFE',
    run: (run) => play(run, lockKey('fenced')),
  },
];
