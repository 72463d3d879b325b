import { type Touches } from './model.js';

/** A command that was answered. */
export interface Answered {
  /** Its text and values without what is random. */
  readonly command: string;
  readonly answer: string;
  /** The step of the run at which it was sent. */
  readonly step: number;
  readonly touches: Touches;
}

/** A step of the run, for the question whether it changed what a poll reads. */
export interface Effect {
  readonly actor: string;
  readonly writes: readonly string[];
}

/** The longest sequence of commands that a waiter repeats: Redlock asks five masters, and releases on five. */
const LONGEST_ROUND = 12;

/**
 * Whether an actor that is about to send `next` only repeats itself: it would send the commands of its last round again,
 * and no other actor has changed what they read since. They would return the same, so the actor waits until then.
 */
export function onlyRepeats(
  next: string,
  actor: string,
  history: readonly Answered[],
  effects: readonly Effect[],
): boolean {
  for (let length = 1; length <= Math.min(LONGEST_ROUND, history.length); length += 1) {
    const round = history.slice(-length);
    const [first] = round;
    if (first?.command !== next) continue;
    // One command may be sent twice for a reason; a sequence that was repeated with the same answers is a loop.
    if (length > 1 && !sameAnswers(history.slice(-2 * length, -length), round)) continue;
    const touched = round.flatMap(({ touches }) => [...touches.reads, ...touches.writes]);
    const changed = effects
      .slice(first.step + 1)
      .some((effect) => effect.actor !== actor && effect.writes.some((name) => touched.includes(name)));
    if (!changed) return true;
  }
  return false;
}

/** A failed attempt that was repeated changes nothing: it must not wake the other pollers. */
export function isRepetition(history: readonly Answered[]): boolean {
  const [before, last] = history.slice(-2);
  return before !== undefined && last?.command === before.command && last.answer === before.answer;
}

function sameAnswers(a: readonly Answered[], b: readonly Answered[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ command, answer }, index) => command === b[index]?.command && answer === b[index].answer)
  );
}

const RANDOM = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::\d+)?|\b[0-9a-f]{16,40}\b|\b\d{12,14}\b/g;

/** Without owners, order numbers and times: two attempts differ only in them. */
export function withoutRandom(text: string): string {
  return text.replace(RANDOM, '…');
}
