/** A value that differs from run to run, and the name that stands for it. */
interface Volatile {
  readonly pattern: RegExp;
  readonly name: string;
}

/** Numbered in the order in which they appear, so that a reader sees which of them are the same. */
const NUMBERED: readonly Volatile[] = [
  { pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, name: 'owner' },
  { pattern: /\b[0-9a-f]{40}\b/g, name: 'script' },
  { pattern: /\b(?=[0-9a-f]*[0-9])[0-9a-f]{16,39}\b/g, name: 'owner' },
  { pattern: /\b\d{13}-\d+\b/g, name: 'entry' },
  { pattern: /\b\d{12,14}\b/g, name: 'order' },
  { pattern: /\bsentinel-redis-\d+\b/g, name: 'sentinel-redis' },
  { pattern: /(?<!-)\bredis-\d+\b/g, name: 'redis' },
];

/** Measured values, which say nothing beyond the check that they passed. */
const MEASURED: readonly (readonly [RegExp, string])[] = [
  [/\bprocess \d+: /g, 'process '],
  [/\b\d+(\.\d+)?( m?s)? of (\d+ m?s)\b/g, 'more than $3'],
  [/\b[1-9]\d* (pieces|kept back|lost)\b/g, 'some $1'],
  [/\bevicted_keys [1-9]\d*, \d+ of the shop/g, 'evicted_keys above 0, some of the shop'],
  [/\b[1-9]\d* keys\b/g, 'some keys'],
  [/\bof [1-9]\d* keys are left/g, 'of some keys are left'],
  [/\b36\d\d s\b/g, '3600 s'],
  [/\bPTTL [1-9]\d*/g, 'PTTL above 0'],
  [/\bafter \d+(\.\d+)? m?s\b/g, 'after a while'],
  [/\b\d+ ms, then \d+ ms\b/g, 'then longer'],
  [/\b\d+(\.\d+)? s later\b/g, 'later'],
  [/\bfor \d+ ms, \d+ ms later\b/g, 'for a lease, later'],
  [/\bstate [RSD] in \/proc/g, 'running in /proc'],
  [/\brun [0-9a-f]{8}\b/g, 'another run id'],
  [/\b\d+ bytes, then \d+\b/g, 'fewer bytes than before'],
  [/\((UND_ERR_SOCKET|ECONNRESET|other side closed|fetch failed|terminated)\)/g, '(connection closed)'],
];

/** Replaces what varies from run to run. The same value gets the same name throughout one evidence. */
export class StableText {
  private readonly names = new Map<string, string>();
  private readonly counts = new Map<string, number>();

  /** Gives these values the names `name-1`, `name-2` …, in this order. */
  reserve(name: string, values: readonly string[]): void {
    for (const value of values) this.nameOf(name, value);
  }

  of(text: string): string {
    const measured = MEASURED.reduce((changed, [pattern, word]) => changed.replace(pattern, word), text);
    const known = [...this.names].reduce((changed, [value, name]) => changed.replaceAll(value, name), measured);
    return NUMBERED.reduce(
      (changed, { pattern, name }) => changed.replace(pattern, (value) => this.nameOf(name, value)),
      known,
    );
  }

  private nameOf(kind: string, value: string): string {
    const known = this.names.get(value);
    if (known !== undefined) return known;
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    this.names.set(value, `${kind}-${count}`);
    return `${kind}-${count}`;
  }
}

/** Tokens and versions grow over all experiments: only their order within one of them means something. */
export function ranked(text: string): string {
  const numbers = [...new Set(text.match(/\d+/g) ?? [])].map(Number).sort((a, b) => a - b);
  return text.replace(/\d+/g, (number) => String(numbers.indexOf(Number(number)) + 1));
}
