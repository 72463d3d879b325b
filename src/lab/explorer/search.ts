import { type Choice, independent, type Model } from './model.js';
import { PartialOrder } from './partial-order.js';

export interface SearchOptions {
  /** Leave out runs that only swap steps that commute. Not possible together with a bound on preemptions. */
  readonly reduced: boolean;
  /** At most this many switches away from an actor that could have continued. */
  readonly preemptions?: number;
  /** Stop after this many runs. */
  readonly most?: number;
  readonly stop?: AbortSignal;
}

export interface Run<Outcome> {
  readonly steps: readonly Choice[];
  readonly outcome: Outcome;
}

export interface Coverage {
  /** Runs to the end. */
  readonly runs: number;
  /** Runs that were cut, because every continuation had been tried in another order. */
  readonly cut: number;
  /** Every schedule was run, or is the same as one that was run. */
  readonly complete: boolean;
}

/** Attempts for a schedule whose beginning cannot be repeated. */
const ATTEMPTS = 3;

/** A decision on the way to the current state. */
interface Node {
  readonly choices: readonly Choice[];
  /** Need not be tried here: the runs of an earlier choice cover them. */
  readonly asleep: Set<string>;
  /** To be tried here. */
  readonly wanted: Set<string>;
  taken: Choice;
}

/**
 * Stateless model checking: the system is restarted for each schedule, the common beginning is repeated, and another
 * choice is made at the last decision that has one left. With `reduced`, source sets and sleep sets leave out schedules
 * that differ only in the order of steps that commute (docs/explorer.md).
 */
export class Search<Outcome> {
  private readonly path: Node[] = [];
  private runs = 0;
  private cut = 0;

  constructor(
    private readonly model: Model<Outcome>,
    private readonly options: SearchOptions,
    private readonly onRun: (run: Run<Outcome>, soFar: Coverage) => void | Promise<void>,
  ) {}

  async explore(): Promise<Coverage> {
    const { most = Infinity, stop } = this.options;
    for (;;) {
      const wasCut = await this.runAgain();
      if (wasCut) this.cut += 1;
      else {
        this.runs += 1;
        const steps = this.path.map(({ taken }) => taken);
        await this.onRun({ steps, outcome: await this.model.outcome() }, this.coverage(false));
      }
      if (this.options.reduced) this.wantReversals();
      if (!this.advance()) return this.coverage(true);
      if (this.runs + this.cut >= most || stop?.aborted) return this.coverage(false);
    }
  }

  private coverage(complete: boolean): Coverage {
    return { runs: this.runs, cut: this.cut, complete };
  }

  /** On a busy machine a server may time out where it did not before: the same beginning is tried again. */
  private async runAgain(): Promise<boolean> {
    const { length } = this.path;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.run();
      } catch (error) {
        if (!(error instanceof NotRepeatable) || attempt === ATTEMPTS) throw error;
        this.path.length = length;
      }
    }
  }

  /** True when the run was cut. A run that was cut is finished, because a held request cannot be withdrawn. */
  private async run(): Promise<boolean> {
    await this.model.restart();
    for (const node of this.path) {
      node.taken = again(node.taken, this.model.choices());
      await this.model.take(node.taken);
    }
    for (;;) {
      const choices = this.model.choices();
      if (choices.length === 0) return false;
      const node = this.decide(choices);
      if (!node) break;
      this.path.push(node);
      await this.model.take(node.taken);
    }
    for (let choices = this.model.choices(); choices[0]; choices = this.model.choices())
      await this.model.take(choices[0]);
    return true;
  }

  /** Undefined when every choice was tried before. */
  private decide(choices: readonly Choice[]): Node | undefined {
    const asleep = this.options.reduced ? inherited(this.path.at(-1)) : new Set<string>();
    const awake = this.affordable(choices).filter(({ id }) => !asleep.has(id));
    const last = this.lastActor();
    // Switches only when it must, so the first runs are the simplest.
    const taken = awake.find(({ actor, fault }) => actor === last && !fault) ?? awake[0];
    if (!taken) return undefined;
    const node: Node = { choices, asleep, wanted: new Set(), taken };
    if (this.options.reduced) {
      want(node, taken.id);
      // A fault of an actor that only waits here has no step of that actor beside which it would be wanted.
      for (const { id, of } of choices) if (of !== undefined && !continues(of, choices)) node.wanted.add(id);
    } else for (const { id } of awake) node.wanted.add(id);
    return node;
  }

  /** The choices that the bound on preemptions allows. */
  private affordable(choices: readonly Choice[]): readonly Choice[] {
    const { preemptions } = this.options;
    if (preemptions === undefined) return choices;
    const last = this.lastActor();
    // What an actor sends to several servers at once commutes: one order is enough.
    const one = choices.filter(
      ({ actor, fault }, index) =>
        fault || choices.findIndex((other) => other.actor === actor && !other.fault) === index,
    );
    const continues = one.filter(({ actor, fault }) => actor === last && !fault);
    if (continues.length === 0) return one;
    // A step that touches nothing commutes with every other: no need to switch before it.
    if (continues.some(isLocal))
      return one.filter((choice) => choice.actor === last && (choice.fault || isLocal(choice)));
    const free = one.filter(({ actor, fault }) => actor === last || fault);
    return this.preemptions() < preemptions ? one : free;
  }

  private preemptions(): number {
    let last = '';
    let count = 0;
    for (const { taken, choices } of this.path) {
      if (taken.fault) continue;
      const couldContinue = choices.some(({ actor, fault }) => actor === last && !fault);
      if (taken.actor !== last && couldContinue) count += 1;
      last = taken.actor;
    }
    return count;
  }

  private lastActor(): string | undefined {
    return this.path.findLast(({ taken }) => !taken.fault)?.taken.actor;
  }

  /** For each pair of steps of this run that could have come in the other order: try that order. */
  private wantReversals(): void {
    const order = new PartialOrder(this.path.map(({ taken }) => taken));
    for (const { first, second } of order.races()) {
      const node = this.path[first] as Node;
      const between = range(first + 1, second).filter((step) => !order.precedes(first, step));
      const initials = order.initials([...between, second]).map((step) => this.path[step]?.taken.id ?? '');
      if (initials.some((id) => node.wanted.has(id))) continue;
      const possible = node.choices.filter(({ id }) => initials.includes(id));
      const [one] = possible;
      if (one) want(node, one.id);
      else this.wantBefore(first, second);
    }
  }

  /** The second step was blocked until the first. It could have come before the earlier step that blocked it. */
  private wantBefore(first: number, second: number): void {
    const step = this.path[second]?.taken as Choice;
    const node = this.path[first] as Node;
    for (const { id } of node.choices) node.wanted.add(id);
    const earlier = this.path
      .slice(0, first)
      .findLast(
        ({ taken, choices }) => !independent(taken, step) && choices.some(({ id }) => id === step.id),
      );
    if (earlier) want(earlier, step.id);
  }

  /** Moves to the next schedule; false when there is none. */
  private advance(): boolean {
    for (let node = this.path.at(-1); node; node = this.path.at(-1)) {
      const { asleep, wanted, taken, choices } = node;
      asleep.add(taken.id);
      const next = choices.find(({ id }) => wanted.has(id) && !asleep.has(id));
      if (next) {
        node.taken = next;
        return true;
      }
      this.path.pop();
    }
    return false;
  }
}

/**
 * Tries a choice at a node, and with it the faults of the same actor. A fault is an alternative to the actor's next step: where
 * that step must be tried, the fault must be tried, too.
 */
function want({ choices, wanted }: Node, id: string): void {
  wanted.add(id);
  const actor = choices.find((choice) => choice.id === id)?.actor;
  for (const { id: fault, of } of choices) if (of === actor) wanted.add(fault);
}

function continues(actor: string, choices: readonly Choice[]): boolean {
  return choices.some((choice) => choice.actor === actor && !choice.fault);
}

/** The sleep set after a step: the members of the sleep set before it that commute with it. */
function inherited(parent: Node | undefined): Set<string> {
  if (!parent) return new Set();
  const { taken, choices, asleep } = parent;
  const sleepers = choices.filter(({ id }) => asleep.has(id) && id !== taken.id);
  return new Set(sleepers.filter((other) => independent(other, taken)).map(({ id }) => id));
}

function isLocal({ touches }: Choice): boolean {
  return touches.reads.length === 0 && touches.writes.length === 0;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

/** Runs must repeat exactly. When an earlier choice is missing, something happened outside the control of the model. */
export class NotRepeatable extends Error {}

function again({ id }: Choice, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice.id === id);
  if (found) return found;
  const there = choices.map((choice) => choice.id).join(', ') || 'nothing';
  throw new NotRepeatable(`${id} was a choice in an earlier run; now there is ${there}`);
}
