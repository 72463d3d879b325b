import { loseOnTheWay } from '../../faults/lost-reply.js';
import { type TcpProxy } from '../../tcp-proxy.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** C21, P15: COMMIT was carried out and its answer is lost, so the instance itself does not know what it has done. */
const UNANSWERED: Experiment = {
  id: 'commit-reply-lost',
  title: 'The answer to COMMIT is lost; the buyer asks again',
  claims: ['C21', 'P15'],
  strategy: 'for-update',
  fault: 'lost-reply',
  expected: 'DUPLICATE',
  lease: 'long',
  stock: 2,
  run: (run) => askAgainAfterCommit(run, { lost: 'the answer' }),
};

interface Unanswered {
  /** On the way to the database, or on the way back. */
  readonly lost: 'COMMIT' | 'the answer';
  readonly key?: string;
  readonly wire?: TcpProxy;
}

export async function askAgainAfterCommit(
  run: ExperimentRun,
  { lost, key, wire = run.testBed.databaseWire }: Unanswered,
): Promise<Conclusion> {
  const purchase = key === undefined ? {} : { key };
  const a = run.buyer('A', 1, purchase);
  await a.runUntil(['beforeCommit']);
  const first = await loseOnTheWay(
    run,
    {
      wire,
      what: lost,
      flows: lost === 'COMMIT' ? { requests: 'drop', containing: 'COMMIT' } : { answers: 'drop' },
      lane: 'mysql',
      event: 'cut off',
      after: async () => lost === 'COMMIT' || (await ordersNow(run)) === 1,
    },
    () => a.finish(),
  );
  run.prove(
    'A is told that nobody knows',
    first.kind === 'unknown' ? first.why : first.kind,
    first.kind === 'unknown' && first.why === 'outcome-unknown',
  );
  const made = await ordersNow(run);
  const sold = lost === 'COMMIT' ? 0 : 1;
  run.prove(sold ? 'A has bought' : 'A has not bought', `${made} orders in the ledger`, made === sold);
  await run.connected(1, 2);
  const again = await run.buyer('A again', 2, purchase).finish();
  run.recorder.expectOrder('A beforeCommit', 'cut off', 'A unknown', `A again ${again.kind}`);
  const { orders } = await run.settledAudit();
  if (orders > 1) {
    return {
      finding: 'DUPLICATE',
      why: `The sale stood and nobody could say so: one purchase, ${orders} orders.`,
    };
  }
  return {
    why: sold
      ? 'The key was committed with the order, so the second request got the receipt of the first.'
      : 'COMMIT had never arrived and MySQL had undone the rest, so the second request was the first to buy.',
  };
}

/** Of the present run, by the lab's own connection. */
async function ordersNow({ testBed }: ExperimentRun): Promise<number> {
  const found = await testBed.rows(
    'SELECT orders.id FROM orders JOIN goods ON goods.run_id = orders.run_id AND goods.id = orders.goods_id',
  );
  return found.length;
}

export const COMMIT_UNANSWERED: readonly Experiment[] = [
  UNANSWERED,
  {
    ...UNANSWERED,
    id: 'commit-reply-lost-key',
    title: 'The answer to COMMIT is lost; the buyer asks again under the same key',
    twinOf: UNANSWERED.id,
    expected: 'SAFE',
    run: (run) => askAgainAfterCommit(run, { lost: 'the answer', key: 'purchase-of-A' }),
  },
  {
    ...UNANSWERED,
    id: 'commit-lost',
    title: 'COMMIT itself is lost; the buyer hears the same and asks again',
    expected: 'SAFE',
    run: (run) => askAgainAfterCommit(run, { lost: 'COMMIT', key: 'purchase-of-A' }),
  },
];
