import { type CheckpointName, type CommandDetails, type ObservedServer } from './checkpoint.js';

/** The name of the buyer who sends the request, in an experiment. */
export const BUYER_HEADER = 'x-buyer';

/** The explorer's requests have this header: they are held before every command and not at checkpoints. */
export const STEPS_HEADER = 'x-steps';
/** Its value, or several of them: the commands should also name their place in the source, which costs time. */
export const WITH_SOURCE = 'with-source';
/** The answer to the request is held like a command. */
export const WITH_ANSWER = 'with-answer';

/** Where a checkpoint is in the source. */
export interface CheckpointSource {
  readonly file: string;
  readonly line: number;
  /** The function or method that contains it. */
  readonly symbol?: string;
}

/** What an instance sends to the checkpoint server: one line of JSON per message. */
export type Message =
  | {
      readonly type: 'checkpoint';
      readonly id: number;
      readonly buyer: string;
      readonly name: CheckpointName;
      readonly source?: CheckpointSource;
    }
  | SentCommand
  /** The request has no command in flight. */
  | { readonly type: 'idle'; readonly buyer: string }
  /** A request that is held before every command has arrived. */
  | { readonly type: 'begun'; readonly buyer: string }
  | HeldCommand
  | Returned
  | Settled;

/** A request that is not held has sent this command. */
export interface SentCommand extends CommandDetails {
  readonly type: 'query';
  readonly id: number;
  readonly buyer: string;
  readonly server: ObservedServer;
  readonly text: string;
  readonly source?: CheckpointSource;
}

/** A request is about to send this command, and waits for `go`. */
export interface HeldCommand extends Omit<CommandDetails, 'connection' | 'over'> {
  readonly type: 'command';
  readonly id: number;
  readonly buyer: string;
  readonly server: ObservedServer;
  readonly text: string;
  readonly connection?: number;
  readonly source?: CheckpointSource;
}

/** The command of this id was answered. */
export interface Returned {
  readonly type: 'returned';
  readonly id: number;
  readonly buyer: string;
  readonly value?: unknown;
  readonly error?: string;
}

/** The answer to `settle`: what the held requests of this instance do. */
export interface Settled {
  readonly type: 'settled';
  readonly id: number;
  /** Settled is about an instance, and not about a buyer. */
  readonly buyer: '';
  readonly requests: readonly RequestState[];
}

export interface RequestState {
  readonly buyer: string;
  /** Commands that wait for `go`. */
  readonly held: number;
  /** Commands that were sent and not answered. */
  readonly inFlight: number;
  /** The request was answered, or its answer is on its way. */
  readonly ended: boolean;
  /** After how many milliseconds the request would continue by itself. Timers of held requests do not run. */
  readonly timerMs?: number;
}

/** The reply to a checkpoint or a command, or a question to the instance. */
export type Instruction =
  | {
      readonly id: number;
      readonly do: 'go';
      /** The process was paused for this long: its clock is later when it sends the command, and timers are due. */
      readonly laterMs?: number;
      /** The server executes the command; its answer is lost, and the connection breaks. */
      readonly lose?: boolean;
    }
  | { readonly id: number; readonly do: 'stop' | 'kill' }
  /** Asks for `Settled`, once everything that the servers have sent so far was read. */
  | { readonly id: number; readonly do: 'settle' }
  /** Fires the next timer of a held request. */
  | { readonly id: number; readonly do: 'elapse'; readonly buyer: string }
  /** The clock of the instance jumps, and its timers become due. */
  | { readonly id: number; readonly do: 'later'; readonly ms: number }
  | { readonly id: number; readonly do: 'block'; readonly whileFile: string };
