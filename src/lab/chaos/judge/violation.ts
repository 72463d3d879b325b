import { type Call } from '../history.js';

/** The promises that are checked, each in a sentence. */
export const PROMISES = {
  acknowledged: 'an order that was acknowledged is in the ledger, once, as its receipt says',
  refused: 'an answer 4xx or 503 means that nothing was sold',
  keys: 'a key sells once per goods and run, and is replayed for the same request only',
  returns: 'stock is returned once, and only when a call asked for it',
  conservation: 'each line of the ledger begins where the line before it on the same stock row ended',
  oversold: 'no run sells more than it had',
  order: 'an operation that ended before another one began comes before it',
  'sold-out': 'sold out is answered only when too little was left at some moment of the call',
  reads: 'a read returns a stock that was correct at some moment',
  audits: 'an audit says SAFE for a correct run, and for no other',
  answers: 'every request gets an answer that is possible for its kind of request',
  availability:
    'buyers of one goods do not keep others from buying another one, and health is right about the servers',
  enabled: 'a strategy that is not enabled is not listed and sells nothing',
  recovery: 'every strategy sells again after the faults',
} as const;

export type PromiseName = keyof typeof PROMISES;

export interface Violation {
  readonly promise: PromiseName;
  /** One plain sentence. */
  readonly sentence: string;
  readonly goodsId?: number | undefined;
  readonly runId?: number | undefined;
  /** The calls that it is about. */
  readonly calls: readonly Call[];
}
