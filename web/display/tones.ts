import { type Finding } from '../../src/contract/verdict.js';

/** `bad`: a sale is wrong or lost. `warn`: no sale is wrong, but the stock or an answer is. */
export type Tone = 'good' | 'bad' | 'warn' | 'calm';

export const toneOf = (verdict: Finding): Tone => {
  if (verdict === 'SAFE') return 'good';
  if (verdict === 'BLOCKED') return 'calm';
  return verdict === 'LEAKED' || verdict === 'FALSE-SOLD-OUT' || verdict === 'GATE-AHEAD' ? 'warn' : 'bad';
};
