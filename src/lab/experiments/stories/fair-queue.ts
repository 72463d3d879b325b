import { kill } from '../../faults/kill.js';
import { type Experiment } from '../experiment.js';
import { LEASES } from '../../test-bed/instance-pool.js';

/** P19: the first waiter of the queue crashes; the next one waits until its heartbeat is missed, and no longer. */
export const FAIR_QUEUE: readonly Experiment[] = [
  {
    id: 'fair-head-dies',
    title: 'The first waiter of the fair queue crashes',
    claims: ['C28', 'P19'],
    strategy: 'fair',
    fault: 'crash',
    expected: 'SAFE',
    lease: 'long',
    stock: 3,
    instances: 3,
    async run(run) {
      const [a, b, c] = [run.buyer('A', 1), run.buyer('B', 2), run.buyer('C', 3)];
      await a.runUntil(['afterLock']);
      await b.runUntil([], { orWaits: 'anywhere' });
      await c.runUntil([], { orWaits: 'anywhere' });
      await kill(run, b);
      const started = performance.now();
      await a.finish();
      const answer = await c.finish();
      const waited = Math.round(performance.now() - started);
      run.prove(
        'C was served before any lease expired',
        `${answer.kind} after ${waited} ms`,
        answer.kind === 'sold' && waited < LEASES.long,
      );
      run.recorder.expectOrder('B waits', 'C waits', 'B killed', 'A sold', 'C afterLock', 'C sold');
      return {
        why: `B was before C in the queue and had crashed. C acquired the lock soon after A released it.`,
      };
    },
  },
];
