import { useCallback, useState } from 'preact/hooks';
import { Declined } from './token.js';

export interface Action {
  readonly busy: boolean;
  readonly error: unknown;
  readonly start: () => void;
}

/** The action of a button. Only one runs at a time, and its error is kept until the next attempt. */
export function useAction(work: () => Promise<unknown>): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const start = useCallback(() => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    work()
      .catch((caught: unknown) => {
        if (!(caught instanceof Declined)) setError(caught);
      })
      .finally(() => {
        setBusy(false);
      });
  }, [busy, work]);
  return { busy, error, start };
}
