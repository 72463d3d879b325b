/** One measurement. The no-op POST has no strategy and no verdict. */
export type PlannedStep =
  | { readonly kind: 'verdict'; readonly strategy: string; readonly instances: number }
  | { readonly kind: 'speed'; readonly strategy: string; readonly instances: number; readonly round: number }
  | { readonly kind: 'noop'; readonly instances: number; readonly round: number };

export interface PlanOptions {
  readonly strategies: readonly string[];
  readonly instances: readonly number[];
  readonly rounds: number;
}

/**
 * Verdicts first: they also warm everything up. Then the speeds in rounds, so that a disturbance affects all strategies
 * alike. Every round begins with another strategy, and every second round is reversed, so that no strategy always runs
 * after the same one.
 */
export function plan({ strategies, instances, rounds }: PlanOptions): PlannedStep[] {
  const verdicts = instances.flatMap((count) =>
    strategies.map((strategy): PlannedStep => ({ kind: 'verdict', strategy, instances: count })),
  );
  const speeds = Array.from({ length: rounds }, (_, index) => index + 1).flatMap((round) =>
    instances.flatMap((count) => {
      const steps: PlannedStep[] = [
        { kind: 'noop', instances: count, round },
        ...strategies.map((strategy): PlannedStep => ({ kind: 'speed', strategy, instances: count, round })),
      ];
      const first = Math.floor((steps.length * (round - 1)) / rounds);
      const turned = [...steps.slice(first), ...steps.slice(0, first)];
      return round % 2 === 0 ? turned.reverse() : turned;
    }),
  );
  return [...verdicts, ...speeds];
}

/** The time of reset, drain and audit of each run, on two cores. */
const AROUND_S = 0.5;
const VERDICT_S = 1.5;

export function estimateSeconds(steps: readonly PlannedStep[], seconds: number): number {
  return steps.reduce((total, { kind }) => total + AROUND_S + (kind === 'verdict' ? VERDICT_S : seconds), 0);
}
