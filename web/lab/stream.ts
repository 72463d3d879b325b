const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;

export interface StreamOptions {
  readonly on: Readonly<Record<string, (data: unknown) => void>>;
  readonly onState?: (state: 'open' | 'lost') => void;
}

/**
 * Events of the lab, for as long as somebody listens. A browser repairs a broken connection by itself, but gives up for
 * good when the gateway answers for a lab that is away: then it is opened anew. The lab numbers its events and sends
 * all of them again to whoever comes anew, so those that are known already are left out.
 */
export function follow(path: string, { on, onState }: StreamOptions): () => void {
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
        const id = lastEventId === '' ? NaN : Number(lastEventId);
        if (id <= seen) return;
        if (!Number.isNaN(id)) seen = id;
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
