/** What a step reads and writes, by name. Two steps that share nothing, or only read what they share, commute. */
export interface Touches {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** A step that can be taken next. */
export interface Choice {
  /** The actor, and its connection where it waits on several. The same step has the same id in every run. */
  readonly id: string;
  readonly actor: string;
  readonly touches: Touches;
  /** The steps of this run, by index, whose answers or messages led to this one. */
  readonly causes: readonly number[];
  /** It may happen at any point instead of the next step of an actor, and costs no context switch. */
  readonly fault?: boolean;
  /** For a fault: the actor that it happens to. Its touches conflict with every step of that actor. */
  readonly of?: string;
}

/** A system that does nothing by itself: the search decides which step comes next. */
export interface Model<Outcome> {
  /** Back to the first state; the same choices must lead to the same states again. */
  restart(): Promise<void>;
  /** Empty when the run has ended. */
  choices(): readonly Choice[];
  take(choice: Choice): Promise<void>;
  outcome(): Promise<Outcome>;
}

export function independent(a: Choice, b: Choice): boolean {
  return !conflicts(a.touches, b.touches) && !conflicts(b.touches, a.touches);
}

function conflicts({ writes }: Touches, other: Touches): boolean {
  return writes.some((name) => other.writes.includes(name) || other.reads.includes(name));
}
