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

export interface Audit {
  readonly verdict: Verdict;
  readonly initial: number;
  readonly sold: number;
  readonly remaining: number;
  readonly oversoldBy: number;
  readonly invariants: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}
