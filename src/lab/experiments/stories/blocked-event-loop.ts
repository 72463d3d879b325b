import { blockEventLoop } from '../../faults/blocked-event-loop.js';
import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** C13: a watchdog is a timer. A process that computes for longer than the lease runs no timers. */
const BLOCKED: Experiment = {
  id: 'blocked-event-loop',
  title: 'The lock holder computes for longer than its lease',
  claims: ['C13'],
  strategy: 'setnx-watchdog',
  fault: 'pause',
  expected: 'OVERSOLD',
  lease: 'short',
  stock: 1,
  async run(run: ExperimentRun) {
    const [a, b] = [run.buyer('A', 1), run.buyer('B', 2)];
    await a.runUntil(['afterRead']);
    const unblock = await blockEventLoop(run, a);
    const sold = await b.finish();
    run.prove('B acquired the lock', sold.kind, sold.kind === 'sold');
    await unblock();
    const late = await a.answer();
    run.recorder.expectOrder('A afterRead', 'A blocked', 'B afterLock', 'B sold', `A ${late.kind}`);
    return {
      why: 'No timer ran while A computed, so its lease was not renewed. A then wrote what it had read before.',
    };
  },
};

export const BLOCKED_EVENT_LOOP: readonly Experiment[] = [
  BLOCKED,
  {
    ...BLOCKED,
    id: 'blocked-event-loop-lease-seq',
    title: 'The lock holder computes for longer than its lease; the store compares the lease',
    strategy: 'lease-seq',
    twinOf: BLOCKED.id,
    expected: 'SAFE',
  },
];
