import { type ChaosEvidence } from './evidence.js';
import { isSell, outcomeOf } from './history.js';

/** The time from the end of a fault to the next sale of a strategy; undefined when there was none in the round. */
export interface Recovery {
  readonly fault: string;
  readonly strategy: string;
  readonly ms: number | undefined;
}

/** The recovery of each strategy that clients used after a fault. */
export function recoveries({ calls, faults, strategies }: ChaosEvidence): Recovery[] {
  const enabled = new Set(strategies.map(({ name }) => name));
  const sells = calls.filter(isSell).filter(({ operation }) => enabled.has(operation.strategy));
  return faults.flatMap(({ end, what }) => {
    const later = sells.filter((call) => call.start >= end);
    const strategies = new Set(later.map(({ operation }) => operation.strategy));
    return [...strategies].map((strategy) => {
      // "Sold out" also shows that the shop works.
      const served = later.filter(
        (call) =>
          call.operation.strategy === strategy &&
          (outcomeOf(call) === 'done' || call.answer?.type === 'sold-out') &&
          !call.answer?.replayed,
      );
      const ms = served.length === 0 ? undefined : Math.min(...served.map((call) => call.end)) - end;
      return { fault: what, strategy, ms };
    });
  });
}
