import { killDatabase } from '../../faults/database-kill.js';
import { until } from '../../until.js';
import { type Experiment } from '../experiment.js';

/** The database is killed between UPDATE and COMMIT: the uncommitted update is rolled back. */
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
      run.prove('A did not get a receipt', lost.kind, lost.kind !== 'sold');
      await until('an instance has connections again', async () => (await run.audit()).verdict.length > 0);
      const before = await run.settledAudit();
      run.prove(
        'the row is unchanged',
        `${before.remaining} left, ${before.orders} orders`,
        before.remaining === 1 && before.orders === 0,
      );
      const again = await run.buyer('B', 2).finish();
      run.prove('B bought', again.kind, again.kind === 'sold');
      run.recorder.expectOrder('A beforeCommit', 'MySQL killed', `A ${lost.kind}`, 'B sold');
      return { why: 'After recovery A’s uncommitted update was gone, and B bought.' };
    },
  }),
);
