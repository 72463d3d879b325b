import type { Step } from '../contract/evidence.js';

/** A row of the diagram has one line: the beginning of the command, and what it returned. */
export function wordsOf({ text, answer }: Pick<Step, 'text' | 'answer'>, fits: number): string {
  if (answer === undefined) return cut(shortCommand(text), fits);
  const tail = ` → ${cut(shortAnswer(answer), Math.floor(fits / 2))}`;
  return `${cut(shortCommand(text), fits - lettersOf(tail))}${tail}`;
}

/** Chinese characters are about as wide as two letters. */
const wide = (letter: string) => (letter > '⺀' ? 2 : 1);
export const lettersOf = (text: string) => Array.from(text).reduce((sum, letter) => sum + wide(letter), 0);

function cut(text: string, fits: number): string {
  if (lettersOf(text) <= fits) return text;
  let room = fits - 1;
  const kept = Array.from(text).filter((letter) => (room -= wide(letter)) >= 0);
  return `${kept.join('').trimEnd()}…`;
}

/** What every statement repeats is left out here; the text of the step has it. */
const SHORTER: readonly (readonly [RegExp, string])[] = [
  // The keys of a script: its name says which lock or stock it works on.
  [/\bEVALSHA (\S+)\.lua \d+ (?:lockstock:\S+ )*/, '$1.lua '],
  [/\blockstock:(?:lock:)?/g, ''],
  [/:?\{goods:1\}/g, ''],
  [/^([^:]*: INSERT (?:IGNORE )?INTO \w+) .*$/, '$1 …'],
  [/^([^:]*: SELECT \w+, version), .* FROM /, '$1, … FROM '],
  [/(, version = version \+ 1)?, last_writer = '[^']*'/, ''],
  [/ AND run_id = <run>/, ''],
  [/ AND stock_in = 'mysql'/, ''],
  [/ AND \(last_writer = [^)]*\)/, ''],
  [/ WHERE id = 1$/, ''],
];

function shortCommand(text: string): string {
  return SHORTER.reduce((shorter, [pattern, instead]) => shorter.replace(pattern, instead), text);
}

function shortAnswer(answer: string): string {
  return answer.replace(/, (?:runId|stockIn|gateId) [^,;]+/g, '').replace(/^error: /, '');
}
