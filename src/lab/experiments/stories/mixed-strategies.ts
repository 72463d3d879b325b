import { type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { cancelOrder } from './cancel-order.js';

/** Two strategies that are each safe alone sell the same goods at the same time. */
const BESIDE: Experiment = {
  id: 'mixed-strategies',
  title: 'A strategy with a lock beside one without',
  claims: ['C25'],
  strategy: 'foreign-writes-ignored',
  fault: 'concurrency',
  expected: 'OVERSOLD',
  lease: 'long',
  stock: 1,
  run: besideSale,
};

/** A return also writes the stock; it acquires only the row lock. */
const RETURNED: Experiment = {
  ...BESIDE,
  id: 'sale-beside-return',
  title: 'A return between the read and the write of a sale',
  expected: 'LEAKED',
  stock: 2,
  run: besideReturn,
};

async function besideSale(run: ExperimentRun) {
  const a = run.buyer('A', 1);
  await a.runUntil(['afterRead']);
  const second = await run.buyer('B', 2, { strategy: 'sql-atomic' }).finish();
  const first = await a.finish();
  run.recorder.expectOrder('A afterRead', `B ${second.kind}`, `A ${first.kind}`);
  return {
    why:
      first.kind === 'sold'
        ? 'B does not acquire the lock of A. A wrote 0, computed from the stock before B, and both sold the last piece.'
        : 'A’s write noticed that another strategy had written since A read. A read again and found nothing left.',
  };
}

async function besideReturn(run: ExperimentRun) {
  const c = await run.buyer('C', 2).finish();
  const a = run.buyer('A', 1);
  await a.runUntil(['afterRead']);
  if (c.kind === 'sold') await cancelOrder(run, 'C', c);
  const first = await a.finish();
  run.recorder.expectOrder('C sold', 'A afterRead', 'C cancelled', `A ${first.kind}`);
  return {
    why:
      'The return acquires the row lock and not the lock of A. ' +
      (run.strategy === BESIDE.strategy
        ? 'A wrote 0, computed from the stock before the return: the returned piece is gone.'
        : 'A’s write noticed the return, and A read again.'),
  };
}

const noticed = (of: Experiment, id: string, title: string): Experiment => ({
  ...of,
  id,
  title,
  strategy: 'named-lock',
  twinOf: of.id,
  expected: 'SAFE',
});

export const MIXED_STRATEGIES: readonly Experiment[] = [
  BESIDE,
  noticed(BESIDE, 'mixed-strategies-noticed', 'A strategy with a lock beside one without: the write notices'),
  RETURNED,
  noticed(
    RETURNED,
    'sale-beside-return-noticed',
    'A return between the read and the write of a sale: the write notices',
  ),
];
