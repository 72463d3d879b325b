import { type Finding } from './evidence.js';

/** A finding as the matrix shows it. */
export type Letter = 'S' | 'U' | 'L' | 'D' | 'A';

export const LETTERS: Readonly<Record<Letter, string>> = {
  S: 'safe',
  U: 'oversold',
  L: 'lost or leaked',
  D: 'sold twice',
  A: 'safe, but blocked while it lasts',
};

/** As a line under the matrix. */
export const LEGEND = [
  ...Object.entries(LETTERS),
  ['–', 'cannot happen to it'],
  ['?', 'not run'],
  ['!', 'not as expected, or not proven'],
]
  .map((entry) => entry.join(' '))
  .join(' · ');

export function letterOf(finding: Finding): Letter {
  switch (finding) {
    case 'SAFE':
      return 'S';
    case 'BLOCKED':
      return 'A';
    case 'DUPLICATE':
      return 'D';
    case 'OVERSOLD':
    case 'GATE-AHEAD':
      return 'U';
    case 'LOST-UPDATE':
    case 'LEAKED':
    case 'FALSE-SOLD-OUT':
    case 'UNMATCHED':
      return 'L';
  }
}
