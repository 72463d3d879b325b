import { type Letter } from '../../contract/matrix.js';

export { type Letter, letterOf } from '../../contract/matrix.js';

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
