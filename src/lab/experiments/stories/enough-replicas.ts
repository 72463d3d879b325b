import { failOver, promote } from '../../faults/failover.js';
import { deafen, proveDeaf, silence, type WiredPair, wiredPair } from '../../faults/held-replication.js';
import { pause } from '../../faults/pause.js';
import { type Experiment } from '../experiment.js';
import { afterDataLoss } from '../matrix/scenario.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** C19: min-replicas-to-write counts replicas that send heartbeats, not replicas that receive the writes. */
const DEAF: Experiment = {
  id: 'min-replicas-deaf',
  title: 'min-replicas-to-write: the replica sends heartbeats but receives no writes',
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
    await afterDataLoss(run, a, 'B', { earlier: ['replica deaf', 'A afterRead'] });
    return {
      why: 'The replica sent heartbeats, so the master accepted A’s lock. The replica never received it and, as new master, granted it to B.',
    };
  },
};

const SILENT: Experiment = {
  ...DEAF,
  id: 'min-replicas-silent',
  title: 'min-replicas-to-write: the replica has sent no heartbeat for too long',
  twinOf: DEAF.id,
  expected: 'SAFE',
  async run(run) {
    const pair = await openShop(run);
    await silence(run, pair);
    const first = await run.buyer('A', 1).finish();
    const refused = first.kind === 'refused' && first.type === 'engine-unavailable';
    run.prove('the master refuses A’s lock', refused ? first.type : first.kind, refused);
    await promote(run, run.testBed.redis, pair.replica);
    await run.connected(2);
    const second = await run.buyer('B', 2).finish();
    run.recorder.expectOrder('replica silent', 'A refused', 'replica took over', `B ${second.kind}`);
    return {
      why: 'The master refused writes while its replica was missing, so no lock could be lost in the failover.',
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
