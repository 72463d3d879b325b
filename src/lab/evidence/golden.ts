import { type Actor, type Evidence, type Proof, type Step, type TableRow } from '../../contract/evidence.js';
import { withoutNoise } from './commands.js';
import { foldCycles } from './cycles.js';
import { exchangesIn, stableSteps } from './named-steps.js';
import { NamedValues } from './named-values.js';
import { withReplies } from './replies.js';
import { asIfKnown } from './resent-scripts.js';
import { withoutShortWaits } from './short-waits.js';
import { ranked, StableText } from './stable-text.js';
import { inAwaitedOrder, type TraceEntry } from './trace.js';

/** What an experiment recorded, as it happened. */
export interface Recording extends Omit<Evidence, 'steps'> {
  readonly trace: readonly TraceEntry[];
}

/** Proofs and conclusions about tokens, versions and runs, which are counted over all experiments. */
const COUNTED = /\btokens?\b|lease_seq|larger than|another run/;
const VERSIONS = /\bversion \d+/g;

/**
 * The evidence of a recording: the same bytes for every recording of the same behaviour. Process ids, lock owners, order
 * ids and server names become numbered names, measured times become words, and concurrent requests get a fixed order.
 */
export function golden(recording: Recording): Evidence {
  const { trace, actors, proofs, order, rows, audit, why, ...rest } = recording;
  const entries = inAwaitedOrder(withoutNoise(asIfKnown(trace)));
  const text = new StableText(instanceNames(actors, rows.orders));
  const told = withReplies(entries);
  const values = new NamedValues(exchangesIn(told), storedCounts(rows));
  const steps = withoutCycles(withoutShortWaits(stableSteps(told, text, values)));
  return {
    ...rest,
    why: stable(why, why, text),
    actors: inOrderOfSteps(actors, text, steps),
    steps,
    proofs: proofs.map((proof) => stableProof(proof, text)),
    order: { ...order, seen: eventsWithoutCycles(eventsIn(entries)) },
    rows: stableRows(rows, text),
    audit,
  };
}

export function withoutCycles(steps: readonly Step[]): Step[] {
  return foldCycles(
    steps,
    ({ actor, to = '', text, answer = '' }) => `${actor} ${to} ${text} → ${answer}`,
    ({ kind }) => kind === 'query',
  );
}

/** Only checkpoints are folded: several purchases are not one that waits. */
export function eventsWithoutCycles(events: readonly string[]): string[] {
  return foldCycles(
    events,
    (event) => event,
    (event) => / (before|after)[A-Z]\w*$/.test(event),
  );
}

/** The participants of the steps; the lab is always one. */
function inOrderOfSteps(actors: readonly Actor[], text: StableText, steps: readonly Step[]): Actor[] {
  const stableActors = actors.map((actor) => ({
    ...actor,
    id: text.of(actor.id),
    label: text.of(actor.label),
  }));
  const ids = new Set([
    'lab',
    ...steps.flatMap(({ actor, to }) => [actor, ...(to === undefined ? [] : [to])]),
  ]);
  return [...ids].flatMap((id) => stableActors.find((actor) => actor.id === id) ?? []);
}

/** Instances of the experiment by their number; those that only wrote an order follow. */
function instanceNames(actors: readonly Actor[], orders: readonly TableRow[]): string[] {
  const used = actors.filter(({ kind }) => kind === 'instance').map(({ id }) => id);
  return [...new Set([...used, ...orders.map(({ instance }) => String(instance))])];
}

/** Tokens and leases in the tables: those of the steps are ranked together with them. */
function storedCounts({ goods, orders }: Evidence['rows']): Readonly<Record<string, readonly number[]>> {
  const stored = (column: string) =>
    [goods, ...orders].map((row) => row[column]).filter((value) => typeof value === 'number');
  return { token: stored('fence'), lease: stored('leaseSeq') };
}

function stableProof({ what, seen, ...rest }: Proof, text: StableText): Proof {
  return { ...rest, what: stable(what, what, text), seen: stable(seen, `${what} ${seen}`, text) };
}

function stable(words: string, about: string, text: StableText): string {
  const counted = COUNTED.test(about) ? ranked(words) : words;
  const versions = ranked((counted.match(VERSIONS) ?? []).join(' '))
    .match(/\d+/g)
    ?.values();
  return text.of(counted.replace(VERSIONS, () => `version ${versions?.next().value ?? ''}`));
}

/** The ids of orders, fencing tokens and leases are counted over all experiments, so they become their rank. */
function stableRows({ goods, orders }: Evidence['rows'], text: StableText): Evidence['rows'] {
  const rankOf = (column: string) => {
    const values = [...new Set([goods, ...orders].map((row) => row[column]))].filter(
      (value) => typeof value === 'number',
    );
    values.sort((a, b) => a - b);
    return (row: TableRow) => (typeof row[column] === 'number' ? values.indexOf(row[column]) + 1 : null);
  };
  const [orderId, fence, leaseSeq] = [rankOf('orderId'), rankOf('fence'), rankOf('leaseSeq')];
  return {
    goods: { ...goods, leaseSeq: leaseSeq(goods), fence: fence(goods) },
    orders: orders.map((order) => ({
      ...order,
      orderId: orderId(order),
      instance: text.of(String(order['instance'])),
      fence: fence(order),
      leaseSeq: leaseSeq(order),
    })),
  };
}

function eventsIn(entries: readonly TraceEntry[]): string[] {
  const last = entries.findLastIndex(({ type }) => type === 'restart');
  return entries.slice(last + 1).flatMap((entry) => (entry.type === 'event' ? [entry.name] : []));
}
