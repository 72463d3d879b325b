import type { Finding } from './verdict.js';

/** A finding as a cell shows it: safe, oversold, lost or leaked, sold twice, blocked. */
export type Letter = 'S' | 'U' | 'L' | 'D' | 'A';

export type Cell =
  | { readonly verdict: Letter; readonly experiment: string; readonly ok: boolean }
  | { readonly notApplicable: string }
  | { readonly notRun: string };

/** The answer to `GET /lab/matrix`: a column per fault, a row per strategy. */
export interface Matrix {
  readonly faults: readonly { readonly id: string; readonly title: string; readonly label: string }[];
  readonly rows: readonly {
    readonly strategy: string;
    readonly title: string;
    readonly family: string;
    readonly cells: Readonly<Record<string, Cell>>;
  }[];
}

const LETTER_OF: Readonly<Record<Finding, Letter>> = {
  SAFE: 'S',
  BLOCKED: 'A',
  DUPLICATE: 'D',
  OVERSOLD: 'U',
  'GATE-AHEAD': 'U',
  'LOST-UPDATE': 'L',
  LEAKED: 'L',
  'FALSE-SOLD-OUT': 'L',
  UNMATCHED: 'L',
};

export function letterOf(finding: Finding): Letter {
  return LETTER_OF[finding];
}
