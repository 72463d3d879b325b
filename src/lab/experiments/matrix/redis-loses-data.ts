import { type CheckpointName } from '../../../checkpoints/checkpoint.js';
import { type StrategyListing } from '../../../contract/strategy.js';
import { pause } from '../../faults/pause.js';
import { type Conclusion } from '../experiment.js';
import { type PurchaseResult } from '../../test-bed/purchase.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { afterDataLoss, heardInTime, insist, ONCE_MORE, proveDecided, THE_MOMENT } from './scenario.js';

/** A fault that makes Redis lose data. */
export interface RedisDataLoss {
  /** Puts a suitable Redis behind the address of the instances. */
  readonly prepare: () => Promise<unknown>;
  /** After the first sale, before A's request. */
  readonly beforeA?: () => Promise<void>;
  /** The fault itself, while A is between its read and its write. */
  readonly loseData: () => Promise<void>;
}

/** The first buyer buys one; A and B compete for the last one. */
const STOCK = 2;

/**
 * A holds the lock, or has reserved stock in Redis; Redis loses its data; B buys; A resumes. A strategy that stays safe
 * when B finishes before A writes is tested again: both read before either writes, and A writes first.
 */
export async function whileRedisLosesData(
  run: ExperimentRun,
  strategy: StrategyListing,
  loss: RedisDataLoss,
): Promise<Conclusion> {
  const moment = momentOf(strategy);
  const late = await lateWriter(run, strategy, loss);
  proveDecided(run, late);
  if (!(await run.isSafe())) return conclude(strategy, late);
  run.note('Safe so far. Second try: B stops after its read, and A writes first.');
  const both = await play(run, strategy, ['C', 'D'], { place: moment, ofB: moment, loss });
  proveDecided(run, both);
  if (!(await run.isSafe())) {
    return { why: 'Redis had lost A’s lock or reservation. Both read before either wrote, and both sold.' };
  }
  const [, second] = late;
  if (second.kind === 'refused' && second.type !== 'sold-out') {
    return {
      finding: 'BLOCKED',
      why: `The store refused the buyer that came after Redis had lost its data (${second.type}).`,
    };
  }
  return conclude(strategy, both);
}

/** B buys before A writes. A renewal can tell A that its lock is lost; then A is stopped again, after its last check. */
async function lateWriter(
  run: ExperimentRun,
  strategy: StrategyListing,
  loss: RedisDataLoss,
): Promise<[PurchaseResult, PurchaseResult]> {
  const names = ['A', 'B'] as const;
  const ending = await play(run, strategy, names, { place: momentOf(strategy), ofB: [], loss });
  if (!heardInTime(ending[0]) || !(await run.isSafe())) return ending;
  run.note(ONCE_MORE);
  return play(run, strategy, names, { place: ['beforeCommit'], ofB: [], loss });
}

/** The checkpoint after Redis has granted the lock or the reservation. */
function momentOf({ stock }: StrategyListing): readonly CheckpointName[] {
  return stock === 'redis' ? ['afterReservation'] : THE_MOMENT;
}

function conclude({ stock }: StrategyListing, [first, second]: [PurchaseResult, PurchaseResult]): Conclusion {
  if (first.kind === 'sold' && second.kind === 'sold') {
    return {
      why: 'Redis had lost A’s lock or reservation, so B was admitted too, and both got a receipt.',
    };
  }
  return {
    why: stock === 'redis' ? 'Redis or MySQL refused one of the two.' : 'The store refused one of the two.',
  };
}

interface Play {
  readonly place: readonly CheckpointName[];
  /** Where B stops until A has written; empty if it does not stop. */
  readonly ofB: readonly CheckpointName[];
  readonly loss: RedisDataLoss;
}

/**
 * A is stopped while Redis loses its data, but not for long: its lease has not expired. Where Redis accepts orders the
 * other instances are stopped too, because one of them could write A's order to MySQL first.
 */
async function play(
  run: ExperimentRun,
  { stock }: StrategyListing,
  names: readonly [string, string],
  { place, ofB, loss: { prepare, beforeA, loseData } }: Play,
): Promise<[PurchaseResult, PurchaseResult]> {
  await prepare();
  await run.connected(1, 2);
  await run.stock(STOCK);
  const sold = await insist(run, 'X', 1);
  run.prove('one was sold before the fault', sold.kind, sold.kind === 'sold');
  await run.settledAudit();
  await beforeA?.();
  const a = run.buyer(names[0], 1);
  const thaw = stock === 'redis' ? await run.testBed.instances.freezeAllBut(a.at) : undefined;
  await a.runUntil(place);
  await pause(run, a);
  await loseData();
  thaw?.();
  await run.connected(2);
  return afterDataLoss(run, a, names[1], { ofB });
}
