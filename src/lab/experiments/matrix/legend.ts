import { type Letter } from '../../../contract/matrix.js';

export const LETTERS: Readonly<Record<Letter, string>> = {
  S: 'safe',
  U: 'oversold',
  L: 'lost or leaked',
  D: 'sold twice',
  A: 'safe, but blocked while the fault lasts',
};

/** The line below a matrix. */
export const LEGEND = [
  ...Object.entries(LETTERS),
  ['–', 'the fault cannot reach it'],
  ['?', 'not run'],
  ['!', 'not as expected, or not proven'],
]
  .map((entry) => entry.join(' '))
  .join(' · ');
