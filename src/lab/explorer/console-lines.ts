import { UsageError } from '../errors.js';
import { steps } from './schedule.js';

/** What a user types. */
export type Line =
  | { readonly do: 'nothing' | 'help' | 'show' | 'quit' }
  | { readonly do: 'undo'; readonly moves: number }
  | { readonly do: 'move'; readonly moves: readonly string[] };

const WORDS = new Map<string, 'nothing' | 'help' | 'show' | 'quit'>([
  ['', 'nothing'],
  ['help', 'help'],
  ['?', 'help'],
  ['show', 'show'],
  ['quit', 'quit'],
  ['exit', 'quit'],
]);
const LONGEST = 500;

/** Buyers may be written in small letters. A line that begins with # is a comment. */
export function readLine(text: string): Line {
  const line = text.trim().toLowerCase().replace(/\s+/g, ' ');
  if (line.length > LONGEST) throw new UsageError(`The line is longer than ${LONGEST} characters.`);
  const word = WORDS.get(line.startsWith('#') ? '' : line);
  if (word) return { do: word };
  const undo = /^undo(?: ([1-9]\d{0,2}))?$/.exec(line);
  if (undo) return { do: 'undo', moves: Number(undo[1] ?? 1) };
  const fault = /^(expire|crash|lose) ([a-z])(@[a-z0-9-]+)?$/.exec(line);
  if (fault) return { do: 'move', moves: [`${fault[1]} ${fault[2]?.toUpperCase()}${fault[3] ?? ''}`] };
  try {
    return {
      do: 'move',
      moves: steps(line.replace(/(^|[\s,])([a-z])(?=[\d@\s,]|$)/g, (part) => part.toUpperCase())),
    };
  } catch {
    throw new UsageError(
      `${JSON.stringify(text.trim().slice(0, 40))} is not understood. Write a buyer such as a or b, a fault such as expire a, or undo, show, help, quit.`,
    );
  }
}
