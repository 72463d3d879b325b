import { type CheckpointName, type ObservedServer } from './checkpoint.js';

/** The name of the buyer who sends the request, in an experiment. */
export const BUYER_HEADER = 'x-buyer';

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
  | { readonly type: 'query'; readonly buyer: string; readonly server: ObservedServer; readonly text: string }
  /** The request has no command in flight. */
  | { readonly type: 'idle'; readonly buyer: string };

/** The reply to a checkpoint message. */
export type Instruction =
  | { readonly id: number; readonly do: 'go' | 'stop' | 'kill' }
  | { readonly id: number; readonly do: 'block'; readonly whileFile: string };
