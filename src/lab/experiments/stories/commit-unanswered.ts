import { loseOnTheWay } from '../../faults/lost-reply.js';
import { type TcpProxy } from '../../tcp-proxy.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

/** C21, P15: COMMIT succeeds and its reply is lost, so the instance itself does not know the outcome. */
const UNANSWERED: Experiment = {
  id: 'commit-reply-lost',
  title: 'The reply to COMMIT is lost; the buyer retries',
  claims: ['C21', 'P15'],
  strategy: 'for-update',
  fault: 'lost-reply',
  expected: 'DUPLICATE',
  lease: 'long',
  stock: 2,
  run: (run) => askAgainAfterCommit(run, { lost: 'the answer' }),
};

interface Unanswered {
  /** What is lost: the request to the database, or its reply. */
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
    a,
  );
  run.prove(
    'A is told that the outcome is unknown',
    first.kind === 'unknown' ? first.why : first.kind,
    first.kind === 'unknown' && first.why === 'outcome-unknown',
  );
  const made = await ordersNow(run);
  const sold = lost === 'COMMIT' ? 0 : 1;
  run.prove(
    sold ? 'A’s order is in the ledger' : 'A’s order is not in the ledger',
    `${made} orders in the ledger`,
    made === sold,
  );
  await run.connected(1, 2);
  const again = await run.buyer('A again', 2, purchase).finish();
  run.recorder.expectOrder('A beforeCommit', 'cut off', 'A unknown', `A again ${again.kind}`);
  const { orders } = await run.settledAudit();
  if (orders > 1) {
    return {
      finding: 'DUPLICATE',
      why: `The sale was committed, but A could not know it: one purchase, ${orders} orders.`,
    };
  }
  return {
    why: sold
      ? 'The idempotency key was committed with the order, so the retry got the receipt of the first request.'
      : 'COMMIT never arrived and MySQL rolled the transaction back, so only the retry bought.',
  };
}

/** Orders of the current run, read through the lab's own connection. */
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
    title: 'The reply to COMMIT is lost; the buyer retries with the same key',
    twinOf: UNANSWERED.id,
    expected: 'SAFE',
    run: (run) => askAgainAfterCommit(run, { lost: 'the answer', key: 'purchase-of-A' }),
  },
  {
    ...UNANSWERED,
    id: 'commit-lost',
    title: 'COMMIT itself is lost; the buyer gets the same answer and retries',
    expected: 'SAFE',
    run: (run) => askAgainAfterCommit(run, { lost: 'COMMIT', key: 'purchase-of-A' }),
  },
];
