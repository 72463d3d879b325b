import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** C3: a lock that every request makes for itself. Its twin shares one. */
function story(strategy: string, expected: 'OVERSOLD' | 'SAFE'): Experiment {
  return {
    id: expected === 'SAFE' ? 'one-lock-for-all' : 'lock-per-request',
    title: expected === 'SAFE' ? 'All requests share one lock' : 'Each request makes its own lock',
    claims: ['C3'],
    strategy,
    fault: expected === 'SAFE' ? 'none' : 'concurrency',
    ...(expected === 'SAFE' && { twinOf: 'lock-per-request' }),
    expected,
    lease: 'long',
    stock: 1,
    async run(run: ExperimentRun) {
      const a = run.buyer('A', 1);
      const b = run.buyer('B', 1);
      await a.runUntil(['afterRead']);
      const halt = await b.runUntil(['afterRead'], { orWaits: 'anywhere' });
      run.prove(
        'A is inside its lock when B comes',
        `A at ${a.place ?? '?'}, B ${halt}`,
        a.place === 'afterRead',
      );
      await a.finish();
      await b.finish();
      run.recorder.expectOrder('A afterRead', halt === 'there' ? 'B afterRead' : 'B waits', 'A sold');
      return {
        why:
          halt === 'there'
            ? 'B locked a lock of its own, read 1 as A had, and sold it again.'
            : 'B waited until A had finished, and found nothing left.',
      };
    },
  };
}

export const LOCK_PER_REQUEST = [story('lock-per-request', 'OVERSOLD'), story('mutex', 'SAFE')];
