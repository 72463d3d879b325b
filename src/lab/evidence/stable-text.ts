const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** The owner of a lock: the process, and for some locks the number of the attempt. */
export const OWNER = new RegExp(`\\b(?:${UUID}(?::\\d+)?|(?=[0-9a-f]*[0-9])[0-9a-f]{16,39})\\b`, 'g');

/** Values that differ from run to run. They are numbered in the order in which they appear. */
const NUMBERED = [
  { name: 'owner', pattern: `${UUID}(?::\\d+)?` },
  { name: 'script', pattern: '[0-9a-f]{40}' },
  { name: 'owner', pattern: '(?=[0-9a-f]*[0-9])[0-9a-f]{16,39}' },
  { name: 'entry', pattern: '\\d{13}-\\d+' },
  { name: 'order', pattern: '\\d{12,14}' },
  { name: 'sentinel-redis', pattern: 'sentinel-redis-\\d+' },
  { name: 'redis', pattern: 'redis-\\d+' },
] as const;
/** Tried from left to right at every position; a name of several parts is one value. */
const ANY = new RegExp(
  `(?<![\\w-])(?:${NUMBERED.map(({ pattern }) => `(${pattern})`).join('|')})(?!\\w)`,
  'g',
);

/** Measured values, which say nothing beyond the check that they passed. */
const MEASURED: readonly (readonly [RegExp, string])[] = [
  // ZooKeeper numbers the places in a queue.
  [/-\d{10}\b/g, '-<number>'],
  [/(\bsold-out\.lua .+) \d+ (\d+)$/g, '$1 run $2'],
  [/(\bredis-lua\.lua .+ redis-lua \S+ \d+) \d+ /g, '$1 ms '],
  [/\bprocess \d+: /g, 'process '],
  [/\bprocess \d+, then process \d+/g, 'another process id'],
  [/\b\d+(\.\d+)?( m?s)? of (\d+ m?s)\b/g, 'more than $3'],
  [/\b[1-9]\d* (pieces|kept back|lost)\b/g, 'some $1'],
  [/\bevicted_keys [1-9]\d*, \d+ of the shop/g, 'evicted_keys above 0, some of the shop'],
  [/\b[1-9]\d* keys\b/g, 'some keys'],
  [/\bof [1-9]\d* keys are left/g, 'of some keys are left'],
  [/\b36\d\d s\b/g, '3600 s'],
  [/\bPTTL [1-9]\d*/g, 'PTTL above 0'],
  [/\bafter \d+(\.\d+)? m?s\b/g, 'in time'],
  [/\b\d+ ms, then \d+ ms\b/g, 'then longer'],
  [/\bstate [RSD] in \/proc/g, 'running in /proc'],
  [/\brun [0-9a-f]{8}\b/g, 'another run id'],
  [/\b\d+ bytes, then \d+\b/g, 'fewer bytes than before'],
  [/\((UND_ERR_SOCKET|ECONNRESET|other side closed|fetch failed|terminated)\)/g, '(connection closed)'],
];

/** Replaces what varies from run to run. The same value gets the same name throughout one evidence. */
export class StableText {
  private readonly names = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  private readonly instances: RegExp | undefined;

  /** The instances become `instance-1`, `instance-2` … in this order. */
  constructor(instances: readonly string[]) {
    for (const name of instances) this.nameOf('instance', name);
    if (instances.length > 0) this.instances = new RegExp(`\\b(?:${instances.join('|')})\\b`, 'g');
  }

  /** A command of a request: its locks and its order are named after its buyer, however often it retries. */
  ofCommand(text: string): string {
    const buyer = text.slice(0, Math.max(0, text.indexOf(': '))).replaceAll(' ', '-');
    return this.of(text.replace(OWNER, `owner-${buyer}`).replace(/\b\d{12,14}\b/g, `order-${buyer}`));
  }

  of(text: string): string {
    const measured = MEASURED.reduce((changed, [pattern, word]) => changed.replace(pattern, word), text);
    const numbered = measured.replace(ANY, (value: string, ...groups: (string | undefined)[]) => {
      const kind = NUMBERED[groups.findIndex((group) => group !== undefined)];
      return kind ? this.nameOf(kind.name, value) : value;
    });
    return this.instances
      ? numbered.replace(this.instances, (value) => this.nameOf('instance', value))
      : numbered;
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
