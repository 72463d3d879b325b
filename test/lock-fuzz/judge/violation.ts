/** The promises of a lock. */
export const INVARIANTS = [
  /** Never two holders of a key. */
  'exclusion',
  /** Tokens rise in the order of the holds. */
  'tokens',
  /** A key is free when all have gone. */
  'availability',
  /** What happens at one key stays there. */
  'isolation',
  /** `release` never throws, and `using` has the outcome of its work. */
  'outcome',
  /** Every call settles in time. */
  'settling',
  /** Nothing is left behind. */
  'leftovers',
] as const;

export type Invariant = (typeof INVARIANTS)[number];

export interface Violation {
  readonly invariant: Invariant;
  /** One plain sentence. */
  readonly sentence: string;
  readonly key?: string;
}
