import { type CheckpointName } from '../../../checkpoints/checkpoint.js';
import { type StrategyListing } from '../../../strategies/registry.js';
import { type Answer, type Buyer } from '../buyer.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { engineMissing } from '../missing.js';
import { type Scene } from '../scene.js';
import { type LeaseLength } from '../stage.js';

/** A column of the matrix: the same steps for every strategy that the fault can reach. */
export interface Scenario {
  /** The fault by its name in `breaksUnder`. */
  readonly fault: string;
  readonly title: string;
  /** What every cell shows, and what single ones show beside it, by their strategies. */
  readonly claims: readonly string[];
  readonly claimsOf?: Readonly<Record<string, readonly string[]>>;
  readonly lease: LeaseLength;
  readonly stock: number;
  /** True, or why the fault cannot reach this strategy. */
  readonly appliesTo: (strategy: StrategyListing) => true | string;
  readonly missing?: () => string | undefined;
  readonly run: (scene: Scene, strategy: StrategyListing) => Promise<Conclusion>;
}

/** The first of these is where a buyer has looked and not yet written, or has written and not yet committed. */
export const THE_MOMENT: readonly CheckpointName[] = ['afterRead', 'afterGate', 'afterWrite'];

/** One cell. What is expected comes from the strategy's own word; what is found does not. */
export function cell(scenario: Scenario, strategy: StrategyListing): Experiment {
  const { fault, title, claims, claimsOf, lease, stock } = scenario;
  const breaks = strategy.breaksUnder.includes(fault);
  return {
    id: `${fault}.${strategy.name}`,
    title: `${title}: ${strategy.title}`,
    claims: [...claims, ...(claimsOf?.[strategy.name] ?? [])],
    strategy: strategy.name,
    fault,
    expected: breaks ? 'breaks' : 'holds',
    lease,
    stock,
    missing: () => engineMissing(strategy.needs) ?? scenario.missing?.(),
    run: (scene) => scenario.run(scene, strategy),
  };
}

/**
 * Redis has forgotten the first, who stands still: the second comes, and then the first goes on. What came before that,
 * and must have, is `earlier`.
 */
export async function afterForgetting(
  scene: Scene,
  a: Buyer,
  second: string,
  earlier: readonly string[] = [],
): Promise<[Answer, Answer]> {
  const b = scene.buyer(second, 2);
  const halt = await b.runUntil([], { orWaits: 'in-mysql' });
  a.resume();
  const answers: [Answer, Answer] = [await a.answer(), await b.answer()];
  scene.recorder.expectOrder(
    ...earlier,
    `${a.name} paused`,
    'Redis forgot',
    `${b.name} ${halt === 'waits' ? 'waits' : answers[1].kind}`,
    `${a.name} resumed`,
    ...(halt === 'waits' ? [] : [`${a.name} ${answers[0].kind}`]),
  );
  return answers;
}

/** The holder was told that its lock was lost before it committed. */
export function heardInTime(answer: Answer): boolean {
  return answer.kind === 'refused' && answer.type === 'lock-lost';
}

/** So it is tried once more: that look is a check like any other, and a holder can stop right after it. */
export const ONCE_MORE =
  'A heard of the loss before it committed. Once more: it stops right after its last look.';

/** What oversells in good times has nothing left to show in bad ones. */
export function unlessBrokenAnyway({ safe }: StrategyListing): true | string {
  return safe !== 'never' || 'It oversells without any fault.';
}

export function needsRedis({ needs }: StrategyListing): true | string {
  return needs.includes('redis') || 'It does not use Redis.';
}
