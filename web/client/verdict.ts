export const VERDICTS = [
  'SAFE',
  'OVERSOLD',
  'LOST-UPDATE',
  'LEAKED',
  'GATE-AHEAD',
  'DUPLICATE',
  'FALSE-SOLD-OUT',
  'UNMATCHED',
  'BLOCKED',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** `bad`: somebody was sold what is not there. `warn`: nobody was, but the books or the shelves suffer. */
export type Tone = 'good' | 'bad' | 'warn' | 'calm';

export const toneOf = (verdict: Verdict): Tone => {
  if (verdict === 'SAFE') return 'good';
  if (verdict === 'BLOCKED') return 'calm';
  return verdict === 'LEAKED' || verdict === 'FALSE-SOLD-OUT' || verdict === 'GATE-AHEAD' ? 'warn' : 'bad';
};

export interface Audit {
  readonly verdict: Verdict;
  readonly initial: number;
  readonly sold: number;
  readonly remaining: number;
  readonly oversoldBy: number;
  readonly invariants: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}
