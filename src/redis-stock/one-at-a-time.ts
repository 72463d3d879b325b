interface Line<Result> {
  readonly ended: Promise<void>;
  next: Promise<Result> | undefined;
}

/**
 * Runs work for a key one at a time. Callers that arrive while it runs share the next run. It begins after they arrived, so
 * its result is as recent as if each of them had started it.
 */
export class OneAtATime<Key, Result> {
  private readonly lines = new Map<Key, Line<Result>>();

  /** With `gathered` the first run begins when it resolves, and callers that arrive until then share that run. */
  constructor(
    private readonly work: (key: Key) => Promise<Result>,
    private readonly gathered?: () => Promise<void>,
  ) {}

  run(key: Key): Promise<Result> {
    const line = this.lines.get(key) ?? this.gather(key);
    if (!line) return this.begin(key);
    line.next ??= line.ended.then(() => this.begin(key));
    return line.next;
  }

  private gather(key: Key): Line<Result> | undefined {
    if (!this.gathered) return undefined;
    const line: Line<Result> = { next: undefined, ended: this.gathered() };
    this.lines.set(key, line);
    return line;
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
          // While a next run waits, the entry stays: otherwise a new caller would start a second run at the same time.
          if (!line.next) this.lines.delete(key);
        }),
    };
    this.lines.set(key, line);
    return result;
  }
}
