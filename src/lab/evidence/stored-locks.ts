import { type StoredLock } from '../../contract/evidence.js';

/** What a command with this answer does to a lock. */
export type LockChange =
  | {
      readonly does: 'acquire';
      readonly key: string;
      readonly leaseMs?: number;
      /** Readers hold together. */
      readonly shared?: boolean;
      /** It ends with a session, whose length the command does not say. */
      readonly session?: boolean;
    }
  | { readonly does: 'release' | 'delete'; readonly key: string }
  | { readonly does: 'expire-in'; readonly key: string; readonly leaseMs: number };

type Change = (words: readonly string[], answer: string) => LockChange | undefined;

const ms = (word: string | undefined) => ({ leaseMs: Number(word) });
const granted = (answer: string) => /^(granted|vote granted)\b/.test(answer);
const releaseOn =
  (...answers: readonly string[]): Change =>
  ([, , , key = ''], answer) =>
    answers.includes(answer) ? { does: 'release', key } : undefined;

/** Scripts by their file: their words are `EVALSHA script.lua <number of keys> <keys> <arguments>`. */
const SCRIPTS: Readonly<Record<string, Change>> = {
  'plain-acquire.lua': ([, , , key = '', , , lease], answer) =>
    granted(answer) ? { does: 'acquire', key, ...ms(lease) } : undefined,
  'plain-release.lua': releaseOn('released'),
  'queue-enter.lua': (words, answer) =>
    granted(answer)
      ? {
          does: 'acquire',
          key: words[3] ?? '',
          shared: words[9]?.startsWith('r:') ?? false,
          ...ms(words[11]),
        }
      : undefined,
  'queue-leave.lua': releaseOn('released'),
  'redlock-lock.lua': ([, , , key = '', , lease], answer) =>
    granted(answer) ? { does: 'acquire', key, ...ms(lease) } : undefined,
  'redlock-unlock.lua': releaseOn('vote withdrawn'),
  'unlock.lua': releaseOn('deleted'),
};

const IS_LOCK = /^lockstock:(setnx|lock):/;
const LOCK_ROW = 'lock_rows';
const NAMED = 'named lock';
const SESSION = 'queue of sessions';

/** What the command does to a lock of the goods, if anything. `command` has its values in their places. */
export function lockChange(command: string, answer: string): LockChange | undefined {
  const words = command.split(' ');
  const [verb = '', first = '', second] = words;
  if (verb === 'EVALSHA' || verb === 'EVAL') return SCRIPTS[first]?.(words, answer);
  if (IS_LOCK.test(first)) return keyChange(verb, first, { second, words, answer });
  if (command.includes(` ${LOCK_ROW} `)) return rowChange(command, answer);
  if (answer === 'first in the queue' || (verb === 'getChildren' && answer === '1 in the queue'))
    return { does: 'acquire', key: SESSION, session: true };
  if (verb === 'delete' && answer === 'deleted') return { does: 'release', key: SESSION };
  if (command.includes('GET_LOCK(') && / 1$/.test(answer)) return { does: 'acquire', key: NAMED };
  if (command.includes('RELEASE_LOCK(') && / 1$/.test(answer)) return { does: 'release', key: NAMED };
  return undefined;
}

interface KeyCommand {
  readonly second: string | undefined;
  readonly words: readonly string[];
  readonly answer: string;
}

/** The textbook locks: SET NX, SETNX, PEXPIRE, DEL. */
function keyChange(verb: string, key: string, { second, words, answer }: KeyCommand): LockChange | undefined {
  switch (verb) {
    case 'SET': {
      const lease = words.indexOf('PX');
      if (answer !== 'OK') return undefined;
      return { does: 'acquire', key, ...(lease > 0 && ms(words[lease + 1])) };
    }
    case 'SETNX':
      return answer === '1' ? { does: 'acquire', key } : undefined;
    case 'PEXPIRE':
      return answer === '1' ? { does: 'expire-in', key, leaseMs: Number(second) } : undefined;
    case 'DEL':
      return answer === '1' ? { does: 'delete', key } : undefined;
    default:
      return undefined;
  }
}

const MICROSECONDS = /INTERVAL (\d+) MICROSECOND/;

function rowChange(command: string, answer: string): LockChange | undefined {
  if (!answer.startsWith('1 row')) return undefined;
  if (command.startsWith('DELETE')) return { does: 'release', key: LOCK_ROW };
  const lease = MICROSECONDS.exec(command)?.[1];
  // An UPDATE takes over a row whose lease has ended; one that only renews has the same holder.
  return { does: 'acquire', key: LOCK_ROW, ...(lease !== undefined && { leaseMs: Number(lease) / 1000 }) };
}

interface Entry extends StoredLock {
  readonly key: string;
  readonly shared: boolean;
  readonly session: boolean;
}

/** Who holds which lock. */
export class StoredLocks {
  private held: readonly Entry[] = [];
  /** Whether any lock was ever seen: without one there is nothing to show. */
  private seen = false;

  change(change: LockChange, holder: string, at: string): void {
    const { key } = change;
    this.seen = true;
    switch (change.does) {
      case 'acquire': {
        const { leaseMs, shared = false, session = false } = change;
        const lock = { holder, at, key, shared, session, ...(leaseMs !== undefined && { leaseMs }) };
        this.held = [...this.held.filter((one) => !isSame(one, key, at) || (shared && one.shared)), lock];
        return;
      }
      case 'release':
        this.held = this.held.filter((one) => !(isSame(one, key, at) && one.holder === holder));
        return;
      case 'delete':
        this.held = this.held.filter((one) => !isSame(one, key, at));
        return;
      case 'expire-in': {
        const { leaseMs } = change;
        this.held = this.held.map((one) => (isSame(one, key, at) ? { ...one, leaseMs } : one));
      }
    }
  }

  /** The holder whose lease must have ended, if another buyer is granted the lock now. */
  expiredBy(change: LockChange, holder: string, at: string): string | undefined {
    if (change.does !== 'acquire' || change.shared) return undefined;
    const before = this.held.find((one) => isSame(one, change.key, at));
    return before && before.holder !== holder && expires(before) ? before.holder : undefined;
  }

  expire(holder: string): void {
    this.held = this.held.filter((one) => one.holder !== holder || !expires(one));
  }

  /** The server has lost its data. */
  lose(isLost: (at: string) => boolean): void {
    this.held = this.held.filter(({ at }) => !isLost(at));
  }

  /** Its connection has ended. */
  disconnect(holder: string): void {
    this.held = this.held.filter((one) => one.holder !== holder || one.key !== NAMED);
  }

  get locks(): readonly StoredLock[] | undefined {
    if (!this.seen) return undefined;
    return this.held.map(({ holder, at, leaseMs }) => ({
      holder,
      at,
      ...(leaseMs !== undefined && { leaseMs }),
    }));
  }
}

const expires = ({ leaseMs, session }: Entry) => leaseMs !== undefined || session;
const isSame = (one: Entry, key: string, at: string) => one.key === key && one.at === at;
