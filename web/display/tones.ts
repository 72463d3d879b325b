import { type Finding } from '../../src/contract/verdict.js';

/** `bad`: somebody was sold what is not there. `warn`: nobody was, but the books or the shelves suffer. */
export type Tone = 'good' | 'bad' | 'warn' | 'calm';

export const toneOf = (verdict: Finding): Tone => {
  if (verdict === 'SAFE') return 'good';
  if (verdict === 'BLOCKED') return 'calm';
  return verdict === 'LEAKED' || verdict === 'FALSE-SOLD-OUT' || verdict === 'GATE-AHEAD' ? 'warn' : 'bad';
};
