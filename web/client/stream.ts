const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;

export interface StreamOptions {
  readonly on: Readonly<Record<string, (data: unknown) => void>>;
  readonly onState?: (state: 'open' | 'lost') => void;
  /** Whether the events are a history, whose numbers say which of them are known already. */
  readonly history: boolean;
}

/**
 * Events of the lab, for as long as somebody listens. A browser repairs a broken connection by itself, but gives up for
 * good when the gateway answers for a lab that is away: then it is opened anew. Whoever comes anew to a history is sent
 * all of it again, so what is known already is left out.
 */
export function follow(path: string, { on, onState, history }: StreamOptions): () => void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let waitMs = FIRST_RETRY_MS;
  let seen = -1;

  const open = () => {
    source = new EventSource(path);
    source.onopen = () => {
      waitMs = FIRST_RETRY_MS;
      onState?.('open');
    };
    source.onerror = () => {
      onState?.('lost');
      if (source?.readyState !== EventSource.CLOSED) return;
      retry = setTimeout(open, waitMs);
      waitMs = Math.min(2 * waitMs, LAST_RETRY_MS);
    };
    for (const [type, listener] of Object.entries(on)) {
      source.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) => {
        const id = Number(lastEventId);
        if (history && id <= seen) return;
        seen = id;
        listener(JSON.parse(data) as unknown);
      });
    }
  };
  open();
  return () => {
    clearTimeout(retry);
    source?.close();
  };
}
