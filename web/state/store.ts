import { useEffect, useState } from 'preact/hooks';

/** A value that several parts of the page use. */
export class Store<T> {
  private readonly watchers = new Set<() => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    for (const watcher of [...this.watchers]) watcher();
  }

  /** Returns a function that stops watching. */
  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}

export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(() => store.value);
  useEffect(() => {
    const update = () => {
      setValue(() => store.value);
    };
    // The value may have changed since the first rendering.
    update();
    return store.watch(update);
  }, [store]);
  return value;
}
