import { lockKey } from '../../test-bed/lock-keys.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { GOODS } from '../../test-bed/test-bed.js';

const COUNTER = `${lockKey('fenced')}:fence`;

/** The last token that the lock of `fencing-token` has issued. */
export async function lastToken({ testBed }: ExperimentRun): Promise<number> {
  return Number(await testBed.redis.node.ask((client) => client.get(COUNTER)));
}

/** The largest token that the store has accepted. */
export async function storedToken({ testBed }: ExperimentRun): Promise<number> {
  const [row] = (await testBed.rows('SELECT fence FROM goods WHERE id = ?', [GOODS])) as { fence: number }[];
  return Number(row?.fence);
}

/** The tokens of this run's orders, as they were written. */
async function writtenTokens({ testBed }: ExperimentRun): Promise<number[]> {
  const rows = await testBed.rows(
    'SELECT orders.fence FROM orders JOIN goods ON goods.run_id = orders.run_id WHERE goods.id = ? ORDER BY orders.id',
    [GOODS],
  );
  return (rows as { fence: number }[]).map(({ fence }) => fence);
}

/** A check of the tokens alone. It passes even when the stock was oversold. */
export async function proveRising(run: ExperimentRun): Promise<void> {
  const tokens = await writtenTokens(run);
  const rising = tokens.every((token, index) => index === 0 || token > (tokens[index - 1] ?? 0));
  run.prove('the tokens in the ledger only rise', tokens.join(', then '), rising && tokens.length > 0);
}
