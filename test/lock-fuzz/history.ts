import { type Fault, type Plan } from './plan/plan.js';

/** What a caller, a process or the fuzzer observed, in the order of one clock that all processes share. */
export type Observation =
  /** `acquire` or `using` was called. */
  | {
      readonly type: 'acquire';
      readonly keys: readonly string[];
      readonly role: 'writer' | 'reader';
      readonly waitMs: number;
      readonly leaseMs?: number | undefined;
      /** The call whose work made this call. */
      readonly within?: string | undefined;
    }
  /** One for each key. */
  | {
      readonly type: 'granted';
      readonly key: string;
      readonly token: string | undefined;
      readonly remaining: number;
      /** For how long the lease had ended by its own deadline; undefined where it has none or had not ended. */
      readonly overdueMs?: number | undefined;
    }
  | { readonly type: 'refused'; readonly reason: Reason; readonly message: string }
  | { readonly type: 'aborted by caller' }
  /** The holder looked at its lease. */
  | { readonly type: 'sample'; readonly valid: boolean; readonly remaining: number }
  /** The work of `using` ended; `remaining` is what its lease had left at that moment. */
  | {
      readonly type: 'work ended';
      readonly threw: boolean;
      readonly valid: boolean;
      readonly remaining: number;
    }
  /** The outcome of `using` after a grant. */
  | {
      readonly type: 'using settled';
      readonly outcome: 'resolved' | 'work error' | Reason;
      readonly message: string;
    }
  /** The write lease ends here, whatever the answer is. */
  | { readonly type: 'downgrade called' }
  | { readonly type: 'release called' }
  | { readonly type: 'release answered'; readonly held?: boolean }
  | { readonly type: 'release threw'; readonly message: string }
  /** Listeners on the caller's AbortSignal when the call was over. */
  | { readonly type: 'listeners left'; readonly count: number };

export type Reason = 'timeout' | 'aborted' | 'lost' | 'engine';

export type CallEvent = Observation & { readonly call: string };

/** Something about a process or the whole run, not about one call. */
export type RunEvent =
  /** The event loop of the client's process was late by so much. */
  | { readonly type: 'lag'; readonly ms: number }
  | { readonly type: 'fault'; readonly fault: Fault }
  | { readonly type: 'fault ended'; readonly fault: Fault }
  /** Something was left behind after everything was closed. */
  | { readonly type: 'left behind'; readonly what: string };

/** `at`: milliseconds of CLOCK_MONOTONIC. `client`: the index in the plan; -1 is the fuzzer itself. */
export type Event = (CallEvent | RunEvent) & { readonly at: number; readonly client: number };

export const FUZZER = -1;
/** Calls of the fuzzer at the end, which show that a key is free. */
export const PROBE = 'probe';

export interface History {
  readonly plan: Plan;
  /** What the kind of lock promises. */
  readonly promises: Promises;
  readonly events: readonly Event[];
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface Promises {
  readonly tokens: boolean;
  /** The lock lives and dies with its connection: a reset ends a hold before its holder can know. */
  readonly connectionIsLease: boolean;
  /** A failed attempt of a client that lost its connection may stay until its lease ends. */
  readonly failedAttemptsStay?: boolean;
}

export function isCallEvent(event: Event): event is CallEvent & { at: number; client: number } {
  return 'call' in event;
}
