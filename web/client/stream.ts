import { type Guard } from './guards.js';
import { Failure } from './http.js';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;

/** One kind of event: how to check it, and what to do with it. */
export interface Listener<T> {
  readonly guard: Guard<T>;
  readonly heard: (event: T) => void;
}

export interface StreamOptions<Events> {
  readonly on: { readonly [Name in keyof Events]: Listener<Events[Name]> };
  /** The server sent an event that does not match the contract. The stream is closed. */
  readonly onFailure: (failure: Failure) => void;
  /** The connection broke. It is reopened. */
  readonly onLost?: () => void;
  /** Whether the events are a history: their ids ascend, and a new connection gets all of them again. */
  readonly history: boolean;
}

/**
 * Follows the events of the lab until the caller closes the stream. A browser reopens a broken connection, except when the
 * gateway answers with an error because the lab is down; then this function reopens it. Events of a history that were
 * received before are skipped.
 */
export function follow<Events extends object>(path: string, options: StreamOptions<Events>): () => void {
  const { on, onFailure, onLost, history } = options;
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let waitMs = FIRST_RETRY_MS;
  let seen = -1;

  const close = () => {
    clearTimeout(retry);
    source?.close();
  };
  const open = () => {
    source = new EventSource(path);
    source.onopen = () => {
      waitMs = FIRST_RETRY_MS;
    };
    source.onerror = () => {
      onLost?.();
      if (source?.readyState !== EventSource.CLOSED) return;
      retry = setTimeout(open, waitMs);
      waitMs = Math.min(2 * waitMs, LAST_RETRY_MS);
    };
    for (const [name, listener] of Object.entries(on as Readonly<Record<string, Listener<unknown>>>)) {
      source.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        const id = Number(lastEventId);
        if (history && id <= seen) return;
        seen = id;
        const event = parsed(data);
        if (listener.guard(event)) {
          listener.heard(event);
        } else {
          close();
          onFailure(new Failure('not-understood', path, 200));
        }
      });
    }
  };
  open();
  return close;
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
