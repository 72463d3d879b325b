/** Longer answers are cut: they are for a reader. */
const LONGEST = 600;
/** An answer of etcd has a header for each of its parts. */
const LONGEST_OBJECT = 1500;
/** Tables whose rows are secret. */
const SECRET = /\bsecrets\b/i;

/** What a command returned, as evidence shows it: rows, the counts of a change, or the answer of Redis. */
export function shown(text: string, value: unknown): unknown {
  if (SECRET.test(text)) return 'hidden';
  const plain = isChange(value) ? changeOf(value) : value;
  const json = JSON.stringify(plain, readable) as string | undefined;
  if (json === undefined) return null;
  const longest = typeof plain === 'string' ? LONGEST : LONGEST_OBJECT;
  return json.length > longest ? `${json.slice(0, longest)}…` : (JSON.parse(json) as unknown);
}

interface Change {
  readonly affectedRows: number;
  readonly insertId?: number | bigint;
}

function isChange(value: unknown): value is Change {
  return typeof value === 'object' && value !== null && 'affectedRows' in value;
}

function changeOf({ affectedRows, insertId }: Change) {
  return { affectedRows, ...(insertId !== undefined && Number(insertId) > 0 && { insertId }) };
}

/** Why a command failed, with the number that MySQL gives its errors. */
export function shownError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const errno = 'errno' in error && Number(error.errno) > 0 ? `${Number(error.errno)} ` : '';
  return `${errno}${error.message}`.slice(0, LONGEST);
}

function readable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return isBytes(value) ? 'bytes' : value;
}

/** A buffer, as JSON shows it. */
function isBytes(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
}
