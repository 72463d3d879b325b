/** Granted, with the first of a block of tokens; or refused, with the time after which a retry is useful. */
export type Attempt =
  { readonly granted: true; readonly token: bigint } | { readonly granted: false; readonly retryMs: number };

export interface Freed {
  readonly held: boolean;
  /** How many processes received the message that the key is free. */
  readonly heard: number;
}

/** Messages that a key may be free. A message can be lost, so it only makes a waiter retry sooner. */
export interface Listener {
  /** Resolves at the next message, after `ms`, or when the signal is aborted, whichever comes first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  close(): void;
}

/** What an exclusive lock needs from its server. */
export interface ExclusiveEngine {
  /** How long the server may take to answer a command. */
  readonly commandTimeoutMs: number;
  /** Idempotent: the same owner asking again gets the same grant. `tokens` are minted in one block. */
  attempt(key: string, owner: string, leaseMs: number, tokens: number): Promise<Attempt>;
  /** Sets the lease to its full length again; false when the owner does not hold the key. */
  renew(key: string, owner: string, leaseMs: number): Promise<boolean>;
  /** Idempotent: a resend answers as the first call did. */
  free(key: string, owner: string): Promise<Freed>;
  /** The first wait ends as soon as the subscription exists: the message of an earlier release is lost. */
  listen(key: string): Listener;
  /** Whether this client itself would receive a message. */
  isListening(key: string): boolean;
  close(): void;
}
