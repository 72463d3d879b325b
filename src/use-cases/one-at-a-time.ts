interface Line<Result> {
  readonly ended: Promise<void>;
  next: Promise<Result> | undefined;
}

/**
 * Runs work for a key one at a time. Callers that come while it runs share the next run: it begins after they came, so its
 * result is as new as if each of them had begun it.
 */
export class OneAtATime<Key, Result> {
  private readonly lines = new Map<Key, Line<Result>>();

  constructor(private readonly work: (key: Key) => Promise<Result>) {}

  run(key: Key): Promise<Result> {
    const line = this.lines.get(key);
    if (!line) return this.begin(key);
    line.next ??= line.ended.then(() => this.begin(key));
    return line.next;
  }

  private begin(key: Key): Promise<Result> {
    const result = this.work(key);
    const line: Line<Result> = {
      next: undefined,
      ended: result
        .then(
          () => undefined,
          () => undefined,
        )
        .then(() => {
          // With a next run waiting the line stays, or a caller could begin beside it.
          if (!line.next) this.lines.delete(key);
        }),
    };
    this.lines.set(key, line);
    return result;
  }
}
