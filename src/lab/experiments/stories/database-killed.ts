import { killDatabase } from '../../faults/database-kill.js';
import { until } from '../../until.js';
import { type Experiment } from '../experiment.js';

/** The database dies between UPDATE and COMMIT: what was not committed never was. */
export const DATABASE_KILLED: readonly Experiment[] = ['for-update', 'sql-atomic', 'cas-version'].map(
  (strategy) => ({
    id: `database-killed.${strategy}`,
    title: `The database is killed between UPDATE and COMMIT: ${strategy}`,
    claims: ['C6'],
    strategy,
    fault: 'database-kill',
    expected: 'SAFE',
    lease: 'long',
    stock: 1,
    async run(run) {
      const a = run.buyer('A', 1);
      await a.runUntil(['beforeCommit']);
      await killDatabase(run);
      const lost = await a.finish();
      run.prove('A was not told that it had bought', lost.kind, lost.kind !== 'sold');
      await until('an instance has connections again', async () => (await run.audit()).verdict.length > 0);
      const before = await run.settledAudit();
      run.prove(
        'the row is as it was',
        `${before.remaining} left, ${before.orders} orders`,
        before.remaining === 1 && before.orders === 0,
      );
      const again = await run.buyer('B', 2).finish();
      run.prove('B could buy', again.kind, again.kind === 'sold');
      run.recorder.expectOrder('A beforeCommit', 'MySQL killed', `A ${lost.kind}`, 'B sold');
      return { why: 'The server came back without what A had not committed, and B could buy.' };
    },
  }),
);
