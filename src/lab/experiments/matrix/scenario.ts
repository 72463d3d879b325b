import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckpointName } from '../../../checkpoints/checkpoint.js';
import { type ShownId } from '../../../contract/claims.js';
import { type StrategyListing } from '../../../contract/strategy.js';
import { resume } from '../../faults/pause.js';
import { type Buyer } from '../../test-bed/buyer.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { engineMissing } from '../../engines/missing.js';
import { type PurchaseResult, tell } from '../../test-bed/purchase.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { type LeaseLength } from '../../test-bed/instance-pool.js';

/** A column of the matrix: the same steps for every strategy that the fault can reach. */
export interface Scenario {
  /** The fault by its name in `breaksUnder`. */
  readonly fault: string;
  readonly title: string;
  /** The head of its column, in as few words as possible. */
  readonly label: string;
  /** What every cell shows, and what single ones show beside it, by their strategies. */
  readonly claims: readonly ShownId[];
  readonly claimsOf?: Readonly<Record<string, readonly ShownId[]>>;
  readonly lease: LeaseLength;
  readonly stock: number;
  /** True, or why the fault cannot reach this strategy. */
  readonly appliesTo: (strategy: StrategyListing) => true | string;
  readonly missing?: () => string | undefined;
  readonly run: (run: ExperimentRun, strategy: StrategyListing) => Promise<Conclusion>;
}

/** The first of these that a buyer comes to: it has looked, if it looks at all, and has not yet written. */
export const THE_MOMENT: readonly CheckpointName[] = ['afterRead', 'afterGate', 'beforeWrite'];

export function cellName(fault: string, strategy: string): string {
  return `${fault}.${strategy}`;
}

/** One cell. What is expected comes from the strategy's own word; what is found does not. */
export function cell(scenario: Scenario, strategy: StrategyListing): Experiment {
  const { fault, title, claims, claimsOf, lease, stock } = scenario;
  const breaks = strategy.breaksUnder.includes(fault);
  return {
    id: cellName(fault, strategy.name),
    title: `${title}: ${strategy.title}`,
    claims: [...claims, ...(claimsOf?.[strategy.name] ?? [])],
    strategy: strategy.name,
    fault,
    expected: breaks ? 'breaks' : 'holds',
    lease,
    stock,
    missing: () => engineMissing(strategy.needs) ?? scenario.missing?.(),
    run: (run) => scenario.run(run, strategy),
  };
}

const MOST_TRIES = 6;
const COMES_BACK_AFTER_MS = 100;

/**
 * Leads somebody to one of the places, or to the end, who comes back when told to: 503 says that nothing was sold, and
 * that it may be next time. On a busy machine a short lease may be over before its holder has come to the place.
 */
export async function lead(
  run: ExperimentRun,
  name: string,
  instance: number,
  places: readonly CheckpointName[],
): Promise<Buyer> {
  for (let tries = 1; ; tries += 1) {
    const buyer = run.buyer(name, instance);
    if ((await buyer.runUntil(places)) === 'there' || tries === MOST_TRIES) return buyer;
    const answer = await buyer.answer();
    if (answer.kind !== 'refused' || answer.status !== 503) return buyer;
    await sleep(COMES_BACK_AFTER_MS);
  }
}

/** A purchase of somebody who comes back when told to. */
export async function insist(run: ExperimentRun, name: string, instance: number): Promise<PurchaseResult> {
  const buyer = await lead(run, name, instance, []);
  return buyer.answer();
}

interface Afterwards {
  /** What came before, and must have. */
  readonly earlier?: readonly string[];
  /** Where B stops until A has ended; nowhere if it does not. */
  readonly ofB?: readonly CheckpointName[];
}

/** Redis has forgotten the first, who stands still: the second comes, and then the first goes on. */
export async function afterForgetting(
  run: ExperimentRun,
  a: Buyer,
  second: string,
  { earlier = [], ofB = [] }: Afterwards = {},
): Promise<[PurchaseResult, PurchaseResult]> {
  const b = run.buyer(second, 2);
  const halt = await b.runUntil(ofB, { orWaits: 'in-mysql' });
  const place = b.place;
  resume(run, a);
  const answers: [PurchaseResult, PurchaseResult] = [await a.answer(), await b.finish()];
  run.recorder.expectOrder(
    ...earlier,
    `${a.name} paused`,
    'Redis forgot',
    `${b.name} ${{ there: place, waits: 'waits', answered: answers[1].kind }[halt] ?? ''}`,
    `${a.name} resumed`,
    // Who waited at the row goes on when A has committed; which of the two answers comes first is open.
    ...(halt === 'waits' ? [] : [`${a.name} ${answers[0].kind}`]),
  );
  return answers;
}

/** What turns a buyer away who came too late: the store, the gate, or the lock itself. */
const TURNED_AWAY = ['sold-out', 'busy', 'lock-lost', 'lock-timeout'];

/** Who could not reach a server has not been refused by anybody, so he shows nothing about the strategy. */
export function proveDecided(run: ExperimentRun, answers: readonly PurchaseResult[]): void {
  const decided = (answer: PurchaseResult) =>
    answer.kind === 'sold' || (answer.kind === 'refused' && TURNED_AWAY.includes(answer.type));
  run.prove(
    'each of the two has bought, or was turned away',
    answers.map(tell).join('; '),
    answers.every(decided) && answers.some(({ kind }) => kind === 'sold'),
  );
}

/** The holder was told that its lock was lost before it committed. */
export function heardInTime(answer: PurchaseResult): boolean {
  return answer.kind === 'refused' && answer.type === 'lock-lost';
}

/** So it is tried once more: that look is a check like any other, and a holder can stop right after it. */
export const ONCE_MORE =
  'A heard of the loss before it committed. Once more: it stops right after its last look.';

/** What oversells in good times has nothing left to show in bad ones. */
export function unlessBrokenAnyway({ safe }: StrategyListing): true | string {
  return safe !== 'never' || 'Two buyers at the same moment are enough to break it.';
}

export function needsRedis({ needs }: StrategyListing): true | string {
  return needs.includes('redis') || 'It does not use Redis.';
}
