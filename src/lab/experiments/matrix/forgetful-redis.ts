import { type CheckpointName } from '../../../checkpoints/checkpoint.js';
import { type StrategyListing } from '../../../contract/strategy.js';
import { pause } from '../../faults/pause.js';
import { type Conclusion } from '../experiment.js';
import { type PurchaseResult } from '../../test-bed/purchase.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { afterForgetting, heardInTime, insist, ONCE_MORE, proveDecided, THE_MOMENT } from './scenario.js';

/** What makes Redis forget. */
export interface Forgetting {
  /** A Redis that can, at the address that the instances know. */
  readonly prepare: () => Promise<unknown>;
  /** The last thing before A comes, when one has been sold. */
  readonly beforeA?: () => Promise<void>;
  /** While A is between looking and writing. */
  readonly forget: () => Promise<void>;
}

/** How many there are when the first buyer comes; A and B both want the last one. */
const STOCK = 2;

/**
 * A holds the lock, or has passed the gate; Redis forgets; B comes; A goes on. Who holds when B has finished before A
 * writes is tried once more: then both have looked before one of them writes, A first.
 */
export async function whileRedisForgets(
  run: ExperimentRun,
  strategy: StrategyListing,
  forgetting: Forgetting,
): Promise<Conclusion> {
  const moment = momentOf(strategy);
  const late = await lateWriter(run, strategy, forgetting);
  proveDecided(run, late);
  if (!(await run.isSafe())) return conclude(strategy, late);
  run.note('It holds. Once more: B stops when it has looked, and A writes first.');
  const both = await play(run, strategy, ['C', 'D'], { place: moment, ofB: moment, forgetting });
  proveDecided(run, both);
  if (!(await run.isSafe())) {
    return { why: 'Redis had forgotten the first; both had looked before one of them wrote, and both sold.' };
  }
  const [, second] = late;
  if (second.kind === 'refused' && second.type !== 'sold-out') {
    return {
      finding: 'BLOCKED',
      why: `The store refused whoever came after Redis had forgotten (${second.type}).`,
    };
  }
  return conclude(strategy, both);
}

/** B has bought before A writes. A renewal that happens to be due can tell A; then it stops again, after its last look. */
async function lateWriter(
  run: ExperimentRun,
  strategy: StrategyListing,
  forgetting: Forgetting,
): Promise<[PurchaseResult, PurchaseResult]> {
  const names = ['A', 'B'] as const;
  const ending = await play(run, strategy, names, { place: momentOf(strategy), ofB: [], forgetting });
  if (!heardInTime(ending[0]) || !(await run.isSafe())) return ending;
  run.note(ONCE_MORE);
  return play(run, strategy, names, { place: ['beforeCommit'], ofB: [], forgetting });
}

/** Where Redis has done its part: it has granted the lock, or let the order pass. */
function momentOf({ stock }: StrategyListing): readonly CheckpointName[] {
  return stock === 'redis' ? ['afterGate'] : THE_MOMENT;
}

function conclude({ stock }: StrategyListing, [first, second]: [PurchaseResult, PurchaseResult]): Conclusion {
  if (first.kind === 'sold' && second.kind === 'sold') {
    return {
      why: 'Redis had forgotten the first, so the second was let in beside it, and both were told that they had bought.',
    };
  }
  return {
    why:
      stock === 'redis' ? 'The gate or MySQL refused one of the two.' : 'The store refused one of the two.',
  };
}

interface Play {
  readonly place: readonly CheckpointName[];
  /** Where B stops, too, until A has written; nowhere if it does not. */
  readonly ofB: readonly CheckpointName[];
  readonly forgetting: Forgetting;
}

/**
 * A is stopped while Redis forgets, though not for long: its lease has not ended. Where Redis takes orders the other
 * instances are stopped, too, or one of them might carry A's to MySQL first.
 */
async function play(
  run: ExperimentRun,
  { stock }: StrategyListing,
  names: readonly [string, string],
  { place, ofB, forgetting: { prepare, beforeA, forget } }: Play,
): Promise<[PurchaseResult, PurchaseResult]> {
  await prepare();
  await run.connected(1, 2);
  await run.stock(STOCK);
  const sold = await insist(run, 'X', 1);
  run.prove('one was sold when all was well', sold.kind, sold.kind === 'sold');
  await run.settledAudit();
  await beforeA?.();
  const a = run.buyer(names[0], 1);
  const thaw = stock === 'redis' ? await run.testBed.instances.freezeAllBut(a.at) : undefined;
  await a.runUntil(place);
  await pause(run, a);
  await forget();
  thaw?.();
  await run.connected(2);
  return afterForgetting(run, a, names[1], { ofB });
}
