/** The longest sequence of commands that a request repeats while it waits. */
const LONGEST = 12;

/**
 * Keeps one of several equal sequences that follow each other: a request that waits by repeating its commands repeats
 * them as often as the machine is slow. Only items that `mayRepeat` are folded.
 */
export function foldCycles<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  mayRepeat: (item: Item) => boolean,
): Item[] {
  const kept: Item[] = [];
  for (const item of items) {
    kept.push(item);
    for (let length = 1; length <= LONGEST; length += 1) {
      const [first, second] = [kept.slice(-2 * length, -length), kept.slice(-length)];
      const repeated =
        first.length === length &&
        second.every((one, index) => mayRepeat(one) && keyOf(one) === keyOf(first[index] as Item));
      if (!repeated) continue;
      kept.length -= length;
      break;
    }
  }
  return kept;
}
