import { type Render } from './command-text.js';

/** A script by its file, in the text of a command. */
const SCRIPT = /^EVAL(?:SHA)? (\S+)\.lua /;

type Words = (value: unknown, render: Render) => string;

const oneOf =
  (yes: string, no: string): Words =>
  (value) =>
    Number(value) > 0 ? yes : no;

/** What the answer of each script means: see the head of its file. Waiting times are measured and left out. */
const SCRIPTS: Readonly<Record<string, Words>> = {
  'plain-acquire': (value, render) => (Number(value) > 0 ? granted(value, render) : 'not free'),
  'plain-release': (value) => (Number(value) >= 0 ? 'released' : 'not the owner any more'),
  'plain-renew': oneOf('renewed', 'not the owner any more'),
  'queue-enter': (value, render) => {
    const [isGranted, token] = listOf(value);
    if (Number(isGranted) !== 1) return 'not its turn';
    return Number(token) > 0 ? granted(token, render) : 'granted';
  },
  'queue-leave': oneOf('released', 'did not hold it'),
  'queue-renew': oneOf('renewed', 'not the holder any more'),
  'queue-downgrade': oneOf('now a reader', 'the lease had ended'),
  'quorum-release': oneOf('released', 'not the owner any more'),
  'quorum-renew': oneOf('renewed', 'not the owner any more'),
  'redlock-lock': oneOf('vote granted', 'refused: another has this vote'),
  'redlock-unlock': oneOf('vote withdrawn', 'had no vote'),
  'redlock-extend': oneOf('extended', 'the vote is gone'),
  unlock: oneOf('deleted', 'not the owner any more'),
  'sold-out': oneOf('sold out', 'units may be returned'),
  'return-units': oneOf('returned', 'nothing to return'),
  'release-key': oneOf('released', 'not the claim of this order'),
  'redis-lua': (value, render) => {
    const [outcome, remaining] = listOf(value);
    return outcome === 'accepted' ? `accepted, ${render(remaining)} left` : String(outcome);
  },
  'open-stock': oneOf('open', 'not opened'),
};

function granted(token: unknown, render: Render): string {
  const shown = render(token, 'fence');
  return shown === '' ? 'granted' : `granted, token ${shown}`;
}

/** The answer of Redis in a few words. */
export function redisAnswer(text: string, value: unknown, render: Render): string {
  if (value === 'QUEUED') return value;
  const script = SCRIPTS[SCRIPT.exec(text)?.[1] ?? ''];
  if (script) return script(value, render);
  const fields = /^HM?GET \S+ (.+)$/.exec(text)?.[1]?.split(' ');
  if (fields) return fieldsText(fields, value, render);
  if (/^INCR \S+:fence$/.test(text)) return render(value, 'fence');
  if (text.startsWith('PTTL ') && Number(value) > 0) return 'above 0';
  // The fields of a HMGET inside the transaction are the header of the stock, whose values are random.
  if (text === 'EXEC' && Array.isArray(value))
    return value.map((one) => (Array.isArray(one) ? '<header>' : plain(one, render))).join(', ');
  return plain(value, render);
}

function fieldsText(fields: readonly string[], value: unknown, render: Render): string {
  const cells = Array.isArray(value) ? listOf(value) : [value];
  return fields
    .map((name, index) => {
      const cell = cells[index];
      return `${name} ${cell === null || cell === undefined ? 'nil' : render(cell, name)}`;
    })
    .join(', ');
}

function plain(value: unknown, render: Render): string {
  if (value === null || value === undefined) return 'nil';
  if (Array.isArray(value))
    return value.length === 0 ? 'empty' : value.map((one) => plain(one, render)).join(', ');
  return render(value);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
