import { type CallEvent, type Event, isCallEvent, type Observation } from '../history.js';

type At<T> = T & { readonly at: number };
type Of<Type extends Observation['type']> = At<Extract<CallEvent, { type: Type }>>;

/** All that was observed of one call, in the order of time. */
export class CallRecord {
  constructor(
    readonly id: string,
    readonly client: number,
    private readonly events: readonly At<CallEvent>[],
  ) {}

  all<Type extends Observation['type']>(type: Type): Of<Type>[] {
    return this.events.filter((event): event is Of<Type> => event.type === type);
  }

  first<Type extends Observation['type']>(type: Type): Of<Type> | undefined {
    return this.all(type)[0];
  }

  /** When `acquire`, or the acquiring part of `using`, was over. */
  get settledAt(): number | undefined {
    return this.first('granted')?.at ?? this.first('refused')?.at;
  }

  get releasedAt(): number | undefined {
    const [downgrade, release] = [this.first('downgrade called'), this.first('release called')];
    return (downgrade ?? release ?? this.first('work ended'))?.at;
  }
}

export function callsOf(events: readonly Event[]): CallRecord[] {
  const byCall = new Map<string, (CallEvent & { at: number; client: number })[]>();
  for (const event of events)
    if (isCallEvent(event)) byCall.set(event.call, [...(byCall.get(event.call) ?? []), event]);
  return [...byCall].map(([id, own]) => new CallRecord(id, own[0]?.client ?? 0, own));
}
