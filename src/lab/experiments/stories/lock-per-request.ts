import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** C3: every request creates its own lock. The twin shares one lock. */
function story(strategy: string, expected: 'OVERSOLD' | 'SAFE'): Experiment {
  return {
    id: expected === 'SAFE' ? 'one-lock-for-all' : 'lock-per-request',
    title: expected === 'SAFE' ? 'All requests share one lock' : 'Each request creates its own lock',
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
        'A holds its lock when B arrives',
        `A at ${a.place ?? '?'}, B ${halt}`,
        a.place === 'afterRead',
      );
      await a.finish();
      await b.finish();
      run.recorder.expectOrder('A afterRead', halt === 'there' ? 'B afterRead' : 'B waits', 'A sold');
      return {
        why:
          halt === 'there'
            ? 'B acquired its own lock, read the same 1 as A, and sold it again.'
            : 'B waited until A had finished and found no stock left.',
      };
    },
  };
}

export const LOCK_PER_REQUEST = [story('lock-per-request', 'OVERSOLD'), story('mutex', 'SAFE')];
