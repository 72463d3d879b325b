import { type ServerAnswer, answerText } from './answer-text.js';
import { asItIs, type Render, withValues } from './command-text.js';
import { OWNER } from './stable-text.js';
import { type RecordedCommand } from './trace.js';

/** A command with its answer, and the buyer that sent it. */
export interface CommandExchange {
  readonly buyer: string;
  readonly command: RecordedCommand;
  readonly answer?: ServerAnswer;
}

/** Columns and fields whose values are counted or measured over all experiments, by what replaces the value. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/^(run_?id|run)$/i, '<run>'],
  [/^gate_?id$/i, '<gate>'],
  [/(^waited|_ms$|Ms$)/, '<ms>'],
  [/(_at|At)$/, '<time>'],
  [/hash$/i, '<hash>'],
  [/^attempts$/, '<attempts>'],
];
/** Counted over all experiments: what matters is their order. */
const RANKED: Readonly<Record<string, string>> = {
  fence: 'token',
  token: 'token',
  lease_seq: 'lease',
  leaseSeq: 'lease',
  orderId: 'order',
  returnId: 'order',
  cancels: 'order',
};
/** A statement that compares or stores a token. */
const FENCED = /\bfence (?:=|<)|\bSELECT fence\b/;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/;
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
const ORDER_NUMBER = /\b\d{12,14}\b/g;

/** Renders values so that two recordings of the same behaviour are equal: see `REPLACED` and `RANKED`. */
export class NamedValues {
  private readonly ranks = new Map<string, readonly number[]>();
  private readonly firstVersion: number;
  /** Most locks mint tokens that nothing reads: their counters say nothing to the reader. */
  private readonly usesTokens: boolean;
  /** Who sent a lock's owner or an order's number. */
  private readonly senders = new Map<string, string>();

  constructor(exchanges: readonly CommandExchange[], stored: Readonly<Record<string, readonly number[]>>) {
    const found = new Map(Object.entries(stored).map(([kind, values]) => [kind, [...values]]));
    const collect: Render = (value, name = '') => {
      const kind = name === 'version' ? name : RANKED[name];
      if (kind && isCount(value)) found.set(kind, [...(found.get(kind) ?? []), Number(value)]);
      return '';
    };
    for (const { buyer, command, answer } of exchanges) {
      withValues(command.text, command.values, collect);
      if (answer) answerText(command, answer, collect);
      const sent = withValues(command.text, command.values);
      for (const [value] of [...sent.matchAll(OWNER), ...sent.matchAll(ORDER_NUMBER)])
        this.senders.set(value, buyer);
    }
    this.usesTokens = exchanges.some(
      ({ command }) => command.server === 'mysql' && FENCED.test(command.text),
    );
    this.firstVersion = Math.min(...(found.get('version') ?? [0]));
    for (const [kind, values] of found)
      this.ranks.set(
        kind,
        [...new Set(values)].sort((a, b) => a - b),
      );
  }

  readonly render: Render = (value, name = '') => {
    if (value === null || value === undefined) return asItIs(value);
    const word = REPLACED.find(([pattern]) => pattern.test(name))?.[1];
    if (word !== undefined) return word;
    if (name === 'version' && isCount(value)) return String(Number(value) - this.firstVersion);
    const kind = RANKED[name];
    if (kind === 'token' && !this.usesTokens) return '';
    if (kind && isCount(value)) return this.rank(kind, Number(value));
    if (name === 'id' && typeof value === 'string' && UUID.test(value)) return '<gate>';
    return typeof value === 'string' && TIME.test(value) ? '<time>' : asItIs(value);
  };

  rank(kind: string, value: number): string {
    return String((this.ranks.get(kind)?.indexOf(value) ?? -1) + 1);
  }

  /** An answer names the owner of a lock, or an order, after the buyer that sent it. */
  senderNamed(answer: string): string {
    return answer
      .replace(OWNER, (value) => this.nameOf('owner', value))
      .replace(ORDER_NUMBER, (value) => this.nameOf('order', value));
  }

  private nameOf(what: string, value: string): string {
    const sender = this.senders.get(value);
    return sender === undefined ? value : `${what}-${sender}`;
  }
}

/** A count, as a number or as Redis returns it. */
function isCount(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d{1,11}$/.test(value));
}
