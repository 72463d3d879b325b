/** Settings of earlier versions, and what they are called now. */
const RENAMED: ReadonlyMap<string, string> = new Map([['GATE_PATIENCE_MS', 'REDIS_ORDER_TIMEOUT_MS']]);
/** Shorter names, such as HOST and PORT, resemble too many variables of other programs. */
const SHORTEST = 8;
/** A larger share of different characters is another word, not a mistake in typing. */
const MISTYPED = 0.3;

/** The old names that are set, each with what to do: their values would be lost without a word. */
export function renamedSettings(given: Iterable<string>): string[] {
  return [...given].flatMap((name) => {
    const now = RENAMED.get(name);
    return now === undefined ? [] : [`${name} is now called ${now}: rename it`];
  });
}

/**
 * The variables whose names resemble a setting but are none, each with what to do. Only a warning is possible: the
 * environment also holds variables of other programs.
 */
export function unknownSettings(given: Iterable<string>, known: readonly string[]): string[] {
  return [...given].flatMap((name) => {
    if (known.includes(name)) return [];
    const meant = known.find((setting) => resembles(name, setting));
    return meant === undefined ? [] : [`${name} is not a setting and has no effect. Is ${meant} meant?`];
  });
}

function resembles(name: string, setting: string): boolean {
  if (setting.length < SHORTEST) return false;
  const isPart = name.includes('_') && (setting.startsWith(`${name}_`) || name.startsWith(`${setting}_`));
  return isPart || distance(name.toUpperCase(), setting) <= Math.floor(MISTYPED * setting.length);
}

/** The number of characters to insert, remove or replace. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of Array.from(from).entries()) {
    const next = [index + 1];
    for (const [at, other] of Array.from(to).entries()) {
      const replaced = (row[at] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
