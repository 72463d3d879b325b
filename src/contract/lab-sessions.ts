import type { Verdict } from './verdict.js';

/** The body of `POST /lab/sessions`. */
export interface SessionConfig {
  readonly strategy: string;
  /** Buyers of one unit each: 2 or 3. */
  readonly buyers: number;
  /** Instances of the service over which the buyers are spread. One per buyer when it is absent. */
  readonly instances?: number | undefined;
  readonly stock: number;
}

export const SESSION_STATES = ['starting', 'ready', 'failed', 'closed'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

/** A line of the strategy. */
export interface CommandPlace {
  readonly file: string;
  readonly line: number;
  readonly symbol?: string;
}

/** A command that a buyer sends to a server, with its values. */
export interface SessionCommand {
  readonly server: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** What sends it. */
  readonly source?: CommandPlace;
}

/** What can be done next. `id` is the body of `POST /lab/sessions/:id/moves`. */
export type SessionMove =
  | ({
      readonly id: string;
      readonly kind: 'step';
      readonly buyer: string;
    } & SessionCommand)
  | { readonly id: string; readonly kind: 'fault'; readonly buyer: string; readonly text: string };

export interface SessionBuyer {
  readonly name: string;
  readonly instance: string;
  /**
   * `held`: it is about to send a command. `polls`: that command would get the same answer again, so it is not sent until
   * another buyer has changed what it reads. `blocked`: its command waits for a lock in the server. `idle`: it waits for a
   * message, a pause or a lock inside its instance. `ended`: it has its answer.
   */
  readonly doing: 'held' | 'polls' | 'blocked' | 'idle' | 'ended';
  /** The commands that wait in a server. */
  readonly waitsFor: readonly SessionCommand[];
  /** What it was told, once it has ended. */
  readonly told?: string;
}

/** What is committed. */
export interface SessionStock {
  readonly inventory: number;
  /** Sales in the ledger. */
  readonly orders: number;
  readonly redisStock?: number;
  readonly locks: readonly { readonly what: string; readonly owner: string }[];
}

/** A command that was sent, and its answer; neither `returned` nor `error` while it waits in the server. */
export interface SessionAnswer {
  readonly actor: string;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly returned?: unknown;
  readonly error?: string;
}

/** One move that was made, and the state after it. */
export interface SessionStep extends SessionAnswer {
  /** The id of the move, if it was a fault. */
  readonly fault?: string;
  /** Absent for a fault that sends no command. */
  readonly server?: string;
  readonly source?: CommandPlace;
  /** Commands of earlier moves that were answered by this one. */
  readonly alsoAnswered: readonly SessionAnswer[];
  /** What each buyer did after it. */
  readonly rests: Readonly<Record<string, 'held' | 'blocked' | 'idle' | 'ended'>>;
  readonly after: SessionStock;
}

export interface SessionOutcome {
  readonly verdict: Verdict;
  readonly initial: number;
  readonly sold: number;
  readonly remaining: number;
  /** Receipts without an order in the ledger. */
  readonly missing: number;
  /** Orders in the ledger of which no client knows: neither a receipt nor an answer that leaves it open. */
  readonly unknown: number;
  /** Whether a client that asked again has bought twice. */
  readonly twice: boolean;
  /** The verdict; when it is SAFE, what the comparison of receipts and ledger shows, such as LOST-ORDER. */
  readonly finding: string;
  /** By buyer: `sold`, `unknown`, or the type of the refusal. */
  readonly told: Readonly<Record<string, string>>;
}

/** What there is to see between two moves. */
export interface Situation {
  readonly buyers: readonly SessionBuyer[];
  /** Empty at the end of the run. */
  readonly moves: readonly SessionMove[];
  readonly stock: SessionStock;
  readonly steps: readonly SessionStep[];
  /** Repeats these moves: `npx lockstock explore <strategy> --schedule "…"`. */
  readonly schedule: string;
  /** At the end of the run. */
  readonly outcome?: SessionOutcome;
}

/** The answer to `GET /lab/sessions/:id`, and to each move. */
export interface SessionView {
  readonly id: string;
  readonly state: SessionState;
  readonly config: SessionConfig;
  readonly startedAt: string;
  /** Absent until the servers have started. */
  readonly situation?: Situation;
  /** Why it failed or was closed. */
  readonly reason?: string;
}

/** One entry of `GET /lab/sessions`. */
export type SessionSummary = Pick<SessionView, 'id' | 'state' | 'config' | 'startedAt' | 'reason'>;

/** The events of `GET /lab/sessions/:id/stream`, by name. */
export interface SessionEvents {
  readonly session: SessionView;
  readonly end: Pick<SessionView, 'id' | 'state' | 'reason'>;
}
