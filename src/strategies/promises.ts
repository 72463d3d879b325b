import { type StrategyMetadata } from './strategy.js';

/** Two promises, because they fail under different faults: docs/promises.md says what each of them means. */
export interface Promises {
  readonly neverOversells: { readonly holds: StrategyMetadata['safe']; readonly unless: readonly string[] };
  /** Nothing that a buyer was told is sold, and no piece of stock, is lost. */
  readonly losesNothing: { readonly unless: readonly string[] };
  /** A purchase whose answer is lost is made twice when the client repeats it without an Idempotency-Key. */
  readonly sellsOnce: { readonly unless: readonly string[] };
}

const LOST_REPLY = 'lost-reply';

/** Every fault in `breaksUnder` breaks one of the three. */
export function promisesOf({ safe, breaksUnder, losesUnder = [] }: StrategyMetadata): Promises {
  const oversells = breaksUnder.filter((fault) => fault !== LOST_REPLY && !losesUnder.includes(fault));
  return {
    neverOversells: { holds: safe, unless: oversells },
    losesNothing: { unless: losesUnder },
    sellsOnce: { unless: breaksUnder.filter((fault) => fault === LOST_REPLY) },
  };
}
