import { z } from 'zod';

/** Two normal keys, and one at which every command of the engine fails where the engine can be made to do that. */
export const KEYS = ['a', 'b', 'broken'] as const;
/** The clients of the fuzzer's own process come first, then one client per worker process. */
export const LOCAL_CLIENTS = 2;
export const WORKER_CLIENTS = 2;

const ms = z.number().min(0).max(20_000);
const client = z
  .int()
  .min(0)
  .max(LOCAL_CLIENTS + WORKER_CLIENTS - 1);

const nestedSchema = z.strictObject({
  /**
   * `awaited`: a nested `using`. `siblings`: two nested `using`s in a Promise.all with a sibling that fails.
   * `outlives`: a nested `using` that the outer work does not wait for.
   */
  shape: z.enum(['awaited', 'siblings', 'outlives']),
  /** Until the nested entry; for `siblings` until the failure. */
  delayMs: ms,
  holdMs: ms,
  leaseMs: ms.optional(),
});

const callerSchema = z.strictObject({
  client,
  /** Two keys are acquired with a MultiLock. */
  keys: z.array(z.enum(KEYS)).min(1).max(2),
  role: z.enum(['writer', 'reader']),
  startMs: ms,
  rounds: z.int().min(1).max(10),
  waitMs: ms,
  /** Absent: the watchdog renews the lease. */
  leaseMs: ms.optional(),
  holdMs: ms,
  abortAfterMs: ms.optional(),
  via: z.enum(['using', 'acquire', 'await using']),
  /** `expire`: hold until the lease has ended, then release. `forget`: never release. */
  end: z.enum(['release', 'throw', 'expire', 'forget']),
  releaseTwice: z.boolean(),
  /** Does the work look at `lease.signal`, or only at `lease.remaining()`? */
  readsSignal: z.boolean(),
  /** A writer becomes a reader after this. */
  downgradeAfterMs: ms.optional(),
  nested: nestedSchema.optional(),
});

const faultSchema = z.strictObject({
  client,
  startMs: ms,
  forMs: ms,
  /**
   * On the connections of one client. `drop` and `drop answers` end with a reset: TCP never loses a part of a stream
   * and goes on. `hold` delivers late. `slow` delays both directions. `kill` and `pause` are for worker processes.
   */
  type: z.enum(['drop', 'drop answers', 'hold', 'hold answers', 'reset', 'slow', 'kill', 'pause']),
  /** Where the engine has several servers: on how many of them. */
  servers: z.int().min(1).max(5),
});

const settingsSchema = z.strictObject({
  watchdogMs: ms,
  heartbeatMs: ms,
  /** Absent: the client waits for an answer without a limit. */
  commandTimeoutMs: ms.optional(),
  retries: z.int().min(0).max(5),
  offlineQueue: z.boolean(),
});

export const planSchema = z.strictObject({
  kind: z.string(),
  settings: settingsSchema,
  callers: z.array(callerSchema),
  faults: z.array(faultSchema),
});

export type Key = (typeof KEYS)[number];
export type Nested = Readonly<z.infer<typeof nestedSchema>>;
export type Caller = Readonly<z.infer<typeof callerSchema>>;
export type Fault = Readonly<z.infer<typeof faultSchema>>;
export type Settings = Readonly<z.infer<typeof settingsSchema>>;

/** What one run does: plain JSON, so that it can be printed, shrunk and replayed. */
export interface Plan {
  readonly kind: string;
  readonly settings: Settings;
  readonly callers: readonly Caller[];
  readonly faults: readonly Fault[];
}

export function isWorker(index: number): boolean {
  return index >= LOCAL_CLIENTS;
}
