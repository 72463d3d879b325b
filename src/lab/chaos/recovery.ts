import { type ChaosEvidence } from './evidence.js';
import { isSell, outcomeOf } from './history.js';

/** How long after the end of a fault a strategy sold again; undefined when it did not within the round. */
export interface Recovery {
  readonly fault: string;
  readonly strategy: string;
  readonly ms: number | undefined;
}

/** The recovery of each strategy that clients tried to buy by after a fault. */
export function recoveries({ calls, faults }: ChaosEvidence): Recovery[] {
  const sells = calls.filter(isSell);
  return faults.flatMap(({ end, what }) => {
    const later = sells.filter((call) => call.start >= end);
    const strategies = new Set(later.map(({ operation }) => operation.strategy));
    return [...strategies].map((strategy) => {
      // "Sold out" is an answer of a shop that works.
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
