import { type CheckpointName, type Server } from './checkpoint.js';

/** Says which buyer of an experiment sends the request. */
export const BUYER_HEADER = 'x-buyer';

/** What an instance tells the experiment, a line of JSON each. */
export type Message =
  | {
      readonly type: 'checkpoint';
      readonly id: number;
      readonly buyer: string;
      readonly name: CheckpointName;
      readonly source?: { readonly file: string; readonly line: number };
    }
  | { readonly type: 'query'; readonly buyer: string; readonly server: Server; readonly text: string }
  /** The buyer has nothing under way. */
  | { readonly type: 'silence'; readonly buyer: string };

/** What the experiment answers to a checkpoint. */
export type Instruction =
  | { readonly id: number; readonly do: 'go' | 'stop' | 'kill' }
  | { readonly id: number; readonly do: 'block'; readonly whileFile: string };
