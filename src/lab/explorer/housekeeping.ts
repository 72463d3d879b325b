/**
 * Commands that are not scheduled: they are sent as soon as the request issues them. Each entry says why its timing
 * cannot change the verdict. `--all-commands` schedules them like every other command.
 */
export const HOUSEKEEPING: readonly {
  readonly what: string;
  readonly command: RegExp;
  readonly why: string;
}[] = [
  {
    what: 'opening a connection',
    command: /^connect$/,
    why: 'It reads and writes no data.',
  },
  {
    what: 'the cache of goods pages',
    command: /^MULTI; INCR \S+:changes; DEL \S+:page; EXEC$/,
    why: 'Only GET /goods reads the cache; a sale invalidates it after its COMMIT.',
  },
  {
    what: 'recording a refusal',
    command: /^INSERT IGNORE INTO refusals\b/,
    why: 'The refusal is already decided; only audits read the table, and the audit follows the last answer.',
  },
  {
    what: 'a block of order numbers',
    command: /^UPDATE order_numbers\b/,
    why: 'Every request gets numbers that no other request gets, whatever the order.',
  },
  {
    what: 'subscribing to the messages of a lock',
    command: /^S?(UN)?SUBSCRIBE\b/,
    why: 'A waiter retries once it has subscribed, so a release before that is not missed.',
  },
  {
    what: 'the renewal of a lease',
    command: /^EVAL(SHA)? (plain|queue|quorum)-renew\.lua\b/,
    why: 'No lease expires by itself during a schedule: leases end only by the fault.',
  },
];

export function isHousekeeping(text: string): boolean {
  return HOUSEKEEPING.some(({ command }) => command.test(text));
}
