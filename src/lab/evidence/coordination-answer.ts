/** Commands of the locks in etcd and ZooKeeper, as src/locks names them. */
const LOOKS = /^(?:put .* and read the queue|read the queue ahead of)\b/;

const members = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/** What a command to etcd or ZooKeeper returned, in a few words. */
export function coordinationAnswer(text: string, value: unknown): string {
  if (LOOKS.test(text)) return isFirst(text, value) ? 'first in the queue' : 'another is ahead';
  if (text.startsWith('delete ')) return isDeleted(value) ? 'deleted' : 'not there';
  if (text.startsWith('getChildren ')) {
    const count = Array.isArray(value) ? value.length : 0;
    return `${count} in the queue`;
  }
  if (text.startsWith('create ')) return 'created';
  // The place of a lock has no data.
  if (text.startsWith('getData and watch ')) return 'watched';
  return value === null || value === undefined ? 'not there' : 'OK';
}

/** The range is empty, or it has only the place that the command itself has put there. */
function isFirst(text: string, value: unknown): boolean {
  const { responses } = members(value);
  const ranges = Array.isArray(responses)
    ? responses.map((one) => members(members(one)['response_range']))
    : [];
  const found = ranges.flatMap(({ kvs }) => (Array.isArray(kvs) ? [kvs.length] : []));
  return found.length > 0 && found.every((count) => count <= (text.startsWith('put ') ? 1 : 0));
}

function isDeleted(value: unknown): boolean {
  return value === true || Number(members(value)['deleted']) > 0;
}

/** The folder of a lock is created by the first request of all; a place that is gone is deleted whenever that is noticed. */
export function isOccasional(text: string, value: unknown, error: string | undefined): boolean {
  if (/^(mkdirp|setACL) /.test(text)) return true;
  if (error !== undefined) return error.includes('NO_NODE') || text.startsWith('delete ');
  // A waiter looks again whenever the queue changes, and once in a while.
  if (text.startsWith('read the queue ahead of ')) return !isFirst(text, value);
  return text.startsWith('delete ') && !isDeleted(value);
}
