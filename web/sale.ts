import { deduct, Failure } from './api.js';

/** `refused`: surely nothing happened. `unknown`: the sale may be in the ledger, but its receipt never came. */
export const OUTCOMES = ['sold', 'sold out', 'refused', 'unknown'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** The answers to one press of a button, counted. */
export class Sale {
  readonly outcomes = new Map<Outcome, number>();
  /** Sales by instance. Refusals do not say who refused. */
  readonly instances = new Map<string, number>();
  /** Why buyers were refused, or why their outcome is unknown. */
  readonly reasons = new Map<string, number>();

  /** Sends all buyers at once, each for one piece. */
  async run(goodsId: number, strategy: string, buyers: number, onAnswer: () => void): Promise<void> {
    const buy = async () => {
      try {
        const { instance } = await deduct(goodsId, strategy);
        count(this.outcomes, 'sold');
        count(this.instances, instance);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const outcome = outcomeOf(error);
        count(this.outcomes, outcome);
        if (outcome !== 'sold out') count(this.reasons, error.message);
      }
      onAnswer();
    };
    await Promise.all(Array.from({ length: buyers }, buy));
  }
}

function outcomeOf({ type, status }: Failure): Outcome {
  if (type === 'sold-out') return 'sold out';
  // 503 is said before anything is written. Every other 5xx, and silence, leaves it open.
  return status === 503 || (status >= 400 && status < 500) ? 'refused' : 'unknown';
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
