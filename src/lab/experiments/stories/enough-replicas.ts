import { failOver, promote } from '../../faults/failover.js';
import { deafen, proveDeaf, silence, type WiredPair, wiredPair } from '../../faults/held-replication.js';
import { pause } from '../../faults/pause.js';
import { type Experiment } from '../experiment.js';
import { afterForgetting } from '../matrix/scenario.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** C19: a master that wants a replica counts those that speak to it, not those that hear it. */
const DEAF: Experiment = {
  id: 'min-replicas-deaf',
  title: 'min-replicas-to-write: the replica says that it is there, but hears nothing',
  claims: ['C16', 'C19'],
  strategy: 'setnx-lua',
  fault: 'failover',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  async run(run) {
    const pair = await openShop(run);
    deafen(run, pair);
    const a = run.buyer('A', 1);
    await a.runUntil(['afterRead']);
    await pause(run, a);
    await proveDeaf(run, pair);
    await failOver(run, run.testBed.redis, pair.replica);
    await run.connected(2);
    await afterForgetting(run, a, 'B', { earlier: ['replica deaf', 'A afterRead'] });
    return {
      why: 'The replica kept in touch, so the master took A’s lock; the replica never heard of it, and gave it to B.',
    };
  },
};

const SILENT: Experiment = {
  ...DEAF,
  id: 'min-replicas-silent',
  title: 'min-replicas-to-write: the replica has been silent for too long',
  twinOf: DEAF.id,
  expected: 'SAFE',
  async run(run) {
    const pair = await openShop(run);
    await silence(run, pair);
    const first = await run.buyer('A', 1).finish();
    const refused = first.kind === 'refused' && first.type === 'engine-unavailable';
    run.prove('the master refuses to write A’s lock', refused ? first.type : first.kind, refused);
    await promote(run, run.testBed.redis, pair.replica);
    await run.connected(2);
    const second = await run.buyer('B', 2).finish();
    run.recorder.expectOrder('replica silent', 'A refused', 'replica took over', `B ${second.kind}`);
    return {
      why: 'A master that misses its replica grants no lock, so the new master could not forget one.',
    };
  },
};

async function openShop(run: ExperimentRun): Promise<WiredPair> {
  const pair = await wiredPair(run);
  await run.connected(1);
  await run.stock(1);
  return pair;
}

export const ENOUGH_REPLICAS: readonly Experiment[] = [DEAF, SILENT];
