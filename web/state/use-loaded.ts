import { useCallback, useEffect, useState } from 'preact/hooks';
import { connection } from './connection.js';
import { useStore } from './store.js';

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly again: () => void;
}

/** Loads a value, and loads it again when `key` changes or the lab reconnects. The old value stays until then. */
export function useLoaded<T>(read: (signal: AbortSignal) => Promise<T>, key = ''): Loaded<T> {
  const { epoch } = useStore(connection);
  const [count, setCount] = useState(0);
  const [state, setState] = useState<{ key: string; value: T | undefined; error: unknown }>({
    key,
    value: undefined,
    error: undefined,
  });
  useEffect(() => {
    const leaving = new AbortController();
    read(leaving.signal).then(
      (value) => {
        if (!leaving.signal.aborted) setState({ key, value, error: undefined });
      },
      (error: unknown) => {
        if (!leaving.signal.aborted) setState((before) => ({ ...before, key, error }));
      },
    );
    return () => {
      leaving.abort();
    };
  }, [key, epoch, count]);
  const again = useCallback(() => {
    setCount((times) => times + 1);
  }, []);
  const current = state.key === key;
  return { value: current ? state.value : undefined, error: current ? state.error : undefined, again };
}
