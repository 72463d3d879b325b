import { type Letter } from '../../src/contract/matrix.js';
import { type Tone } from './tones.js';

export const LETTERS = ['S', 'U', 'L', 'D', 'A'] as const satisfies readonly Letter[];

export const TONE_OF_LETTER: Readonly<Record<Letter, Tone>> = {
  S: 'good',
  U: 'bad',
  L: 'warn',
  D: 'bad',
  A: 'calm',
};
