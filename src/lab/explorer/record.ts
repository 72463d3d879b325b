import { type Actor, type Step, type StoredState } from '../../contract/evidence.js';
import { type Counterexample, type ExplorationRecord } from '../../contract/exploration.js';
import { exchangesIn, stableStep } from '../evidence/named-steps.js';
import { NamedValues } from '../evidence/named-values.js';
import { withScriptName } from '../evidence/package-scripts.js';
import { type Told, withReplies } from '../evidence/replies.js';
import { StableText } from '../evidence/stable-text.js';
import { type TraceEntry } from '../evidence/trace.js';
import { quote } from '../test-bed/recorder.js';
import { type StockState } from './explored-bed.js';
import { type Exploration } from './explorer.js';
import { type Played, type PlayedStep } from './replay.js';

const SERVERS: Readonly<Record<string, Pick<Actor, 'kind' | 'label'>>> = {
  mysql: { kind: 'mysql', label: 'MySQL' },
  redis: { kind: 'redis', label: 'Redis' },
  etcd: { kind: 'etcd', label: 'etcd' },
  zookeeper: { kind: 'zookeeper', label: 'ZooKeeper' },
};

/** What the page shows of an exploration. */
export function recordOf(found: Exploration, preemptions?: number): ExplorationRecord {
  const { plan, coverage, schedules, findings, counterexample } = found;
  return {
    id: `${plan.strategy.name}.${plan.faults}`,
    strategy: plan.strategy.name,
    buyers: plan.buyers,
    stock: plan.stock,
    fault: plan.faults,
    schedules: {
      run: coverage.runs,
      cut: coverage.cut,
      ...(schedules !== null && coverage.complete && { all: String(schedules) }),
      complete: coverage.complete,
      ...(preemptions !== undefined && { preemptions }),
    },
    verdicts: findings,
    ...(counterexample && { counterexample: storyOf(counterexample, plan.strategy.name) }),
  };
}

function storyOf({ schedule, switches, steps, outcome }: Played, strategy: string): Counterexample {
  const told = withReplies(steps.flatMap((step, index) => entriesOf(step, index, steps)));
  const [text, values] = [new StableText([]), new NamedValues(exchangesIn(told), {})];
  const buyers = Object.keys(outcome.told).sort();
  const shown: Step[] = [
    ...buyers.map((buyer): Step => ({ actor: buyer, kind: 'note', text: `buys by ${strategy}` })),
    ...told.map((one): Step => ({ ...stableStep(one, text, values), ...stateAfter(one, steps) })),
    ...buyers.map((buyer): Step => ({ actor: buyer, kind: 'note', text: outcome.told[buyer] ?? '' })),
  ];
  return {
    schedule,
    switches,
    verdict: outcome.verdict,
    why: `${outcome.sold} sold, ${outcome.initial} in stock.`,
    actors: actorsOf(shown, buyers),
    steps: shown,
  };
}

/** A played step is a command and its answer, or a fault; it may also let commands of others go on. */
function entriesOf(step: PlayedStep, index: number, all: readonly PlayedStep[]): TraceEntry[] {
  const { actor, server, text, values, source } = step;
  const by = `${actor} 1`;
  if (server === undefined) {
    const kind = text.includes('lease') ? 'time' : 'fault';
    return [{ type: 'step', by: 'lab', step: { actor: 'lab', kind, text } }];
  }
  const shown = { actor, to: server, kind: 'query', text, ...(source && { source: quote(source) }) } as const;
  const kindOf = server.startsWith('redlock') ? 'redis' : server;
  const command = { id: index, server: kindOf, text: withScriptName(text), values };
  const others = step.alsoAnswered.map((other) => {
    const sent = all.findLastIndex(
      (one, at) => at < index && one.actor === other.actor && one.text === other.text && !isAnswered(one),
    );
    return returned(`${other.actor} 1`, sent, other);
  });
  const own = isAnswered(step) ? [returned(by, index, step)] : [];
  return [{ type: 'step', by, step: shown, command }, ...own, ...others];
}

const isAnswered = (step: PlayedStep) => 'returned' in step || step.error !== undefined;

function returned(by: string, id: number, step: Pick<PlayedStep, 'returned' | 'error'>): TraceEntry {
  return {
    type: 'returned',
    by,
    id,
    ...(step.error === undefined ? { value: step.returned } : { error: step.error }),
  };
}

/** What the explorer has read from the servers after the step. */
function stateAfter({ step, command }: Told, steps: readonly PlayedStep[]): { readonly after?: StoredState } {
  const played = command ? steps[command.id] : steps.find(({ text }) => text === step.text);
  return played && step.kind !== 'reply' ? { after: stored(played.after) } : {};
}

function stored({ inventory, orders, redisStock, locks }: StockState): StoredState {
  return {
    inventory,
    sold: orders,
    ...(redisStock !== undefined && { redisStock }),
    ...(locks.length > 0 && {
      locks: locks.map(({ what, owner }) => ({ holder: owner, at: / on (\S+)$/.exec(what)?.[1] ?? 'mysql' })),
    }),
  };
}

function actorsOf(steps: readonly Step[], buyers: readonly string[]): Actor[] {
  const ids = [...new Set(steps.flatMap(({ actor, to }) => [actor, ...(to === undefined ? [] : [to])]))];
  return ids.map((id) => {
    if (id === 'lab') return { id, kind: 'lab', label: 'time and faults' };
    if (buyers.includes(id)) return { id, kind: 'instance', label: `buyer ${id}` };
    const master = /^redlock-(\d)$/.exec(id)?.[1];
    if (master !== undefined) return { id, kind: 'redis', label: `master ${master}` };
    return { id, ...(SERVERS[id] ?? { kind: 'other', label: id }) };
  });
}
