/** The verdicts of an audit, worst first. */
export const VERDICTS = [
  'OVERSOLD',
  'LOST-UPDATE',
  'LEAKED',
  'GATE-AHEAD',
  'DUPLICATE',
  'FALSE-SOLD-OUT',
  'UNMATCHED',
  'SAFE',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** BLOCKED: the strategy stays safe, and sells nothing while the fault lasts. Only an experiment can see that. */
export const FINDINGS = [...VERDICTS, 'BLOCKED'] as const;
export type Finding = (typeof FINDINGS)[number];

/** What an experiment expects. A cell of the matrix expects only that the strategy breaks, or that it holds. */
export type Expectation = Finding | 'breaks' | 'holds';

export function breaks(finding: Finding): boolean {
  return finding !== 'SAFE' && finding !== 'BLOCKED';
}

export function meets(finding: Finding, expected: Expectation): boolean {
  if (expected === 'breaks') return breaks(finding);
  if (expected === 'holds') return !breaks(finding);
  return finding === expected;
}
