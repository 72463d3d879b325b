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

/** A column of the matrix: the same steps for every strategy that the fault can affect. */
export interface Scenario {
  /** The fault by its name in `breaksUnder`. */
  readonly fault: string;
  readonly title: string;
  /** The short title of its column. */
  readonly label: string;
  /** The claims that every cell shows, and further ones by strategy. */
  readonly claims: readonly ShownId[];
  readonly claimsOf?: Readonly<Record<string, readonly ShownId[]>>;
  readonly lease: LeaseLength;
  readonly stock: number;
  /** True, or why the fault cannot affect this strategy. */
  readonly appliesTo: (strategy: StrategyListing) => true | string;
  readonly missing?: () => string | undefined;
  readonly run: (run: ExperimentRun, strategy: StrategyListing) => Promise<Conclusion>;
}

/** The first of these that a request reaches: after its read, if it reads, and before its write. */
export const THE_MOMENT: readonly CheckpointName[] = ['afterRead', 'afterReservation', 'beforeWrite'];

export function cellName(fault: string, strategy: string): string {
  return `${fault}.${strategy}`;
}

/** One cell. The expectation comes from the strategy's `breaksUnder`; the finding does not. */
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
const RETRY_AFTER_MS = 100;

/**
 * Runs a purchase until one of the checkpoints or its answer, and retries after 503, which means that nothing was sold.
 * On a busy machine a short lease may expire before its holder reaches the checkpoint.
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
    await sleep(RETRY_AFTER_MS);
  }
}

/** A purchase that retries after 503. */
export async function insist(run: ExperimentRun, name: string, instance: number): Promise<PurchaseResult> {
  const buyer = await lead(run, name, instance, []);
  return buyer.answer();
}

interface Afterwards {
  /** Events that must have happened before. */
  readonly earlier?: readonly string[];
  /** Where B stops until A has finished; empty if it does not stop. */
  readonly ofB?: readonly CheckpointName[];
}

/** Redis has lost the lock of the stopped A: B buys, then A resumes. */
export async function afterDataLoss(
  run: ExperimentRun,
  a: Buyer,
  second: string,
  { earlier = [], ofB = [] }: Afterwards = {},
): Promise<[PurchaseResult, PurchaseResult]> {
  const b = run.buyer(second, 2);
  const halt = await b.runUntil(ofB, { orWaits: 'in-server' });
  const place = b.place;
  resume(run, a);
  const answers: [PurchaseResult, PurchaseResult] = [await a.answer(), await b.finish()];
  run.recorder.expectOrder(
    ...earlier,
    `${a.name} paused`,
    'Redis forgot',
    `${b.name} ${{ there: place, waits: 'waits', answered: answers[1].kind }[halt] ?? ''}`,
    `${a.name} resumed`,
    // A request that waits for the row continues when A commits; either answer may come first.
    ...(halt === 'waits' ? [] : [`${a.name} ${answers[0].kind}`]),
  );
  return answers;
}

/** Refusals by the store, by Redis, or by the lock itself. */
const REFUSALS = ['sold-out', 'busy', 'lock-lost', 'lock-timeout'];

/** A buyer that failed because a server was unreachable shows nothing about the strategy. */
export function proveDecided(run: ExperimentRun, answers: readonly PurchaseResult[]): void {
  const decided = (answer: PurchaseResult) =>
    answer.kind === 'sold' || (answer.kind === 'refused' && REFUSALS.includes(answer.type));
  run.prove(
    'each of the two bought or was refused',
    answers.map(tell).join('; '),
    answers.every(decided) && answers.some(({ kind }) => kind === 'sold'),
  );
}

/** The holder learned before COMMIT that its lock was lost. */
export function heardInTime(answer: PurchaseResult): boolean {
  return answer.kind === 'refused' && answer.type === 'lock-lost';
}

/** The check before COMMIT is itself a check-then-act: the second try stops the holder right after it. */
export const ONCE_MORE =
  'A learned before COMMIT that its lock was lost. Second try: it stops right after that check.';

/** A strategy that oversells without a fault is not tested with one. */
export function unlessBrokenAnyway({ safe }: StrategyListing): true | string {
  return safe !== 'never' || 'Two concurrent buyers are enough to break it.';
}

export function needsRedis({ needs }: StrategyListing): true | string {
  return needs.includes('redis') || 'It does not use Redis.';
}
