import { type StrategyMetadata, type Promises } from '../../contract/strategy.js';

const LOST_REPLY = 'lost-reply';

/** Every fault in `breaksUnder` breaks one of the three promises. */
export function promisesOf({ safe, breaksUnder, losesUnder = [] }: StrategyMetadata): Promises {
  const oversells = breaksUnder.filter((fault) => fault !== LOST_REPLY && !losesUnder.includes(fault));
  return {
    neverOversells: { holds: safe, unless: oversells },
    losesNothing: { unless: losesUnder },
    sellsOnce: { unless: breaksUnder.filter((fault) => fault === LOST_REPLY) },
  };
}
