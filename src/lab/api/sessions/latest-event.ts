import { type Events, type LabEvent, type Listener } from '../event-log.js';

/** The present state of something: a new listener gets the latest one, and then every change. */
export class LatestEvent implements Events {
  private latest: LabEvent | undefined;
  private ended: LabEvent | undefined;
  private readonly listeners = new Set<Listener>();

  constructor(private readonly name: string) {}

  set(data: unknown): void {
    this.latest = { id: (this.latest?.id ?? 0) + 1, name: this.name, data };
    for (const listener of this.listeners) listener.onEvent(this.latest);
  }

  /** A last event of another name. */
  end(name: string, data: unknown): void {
    this.ended = { id: (this.latest?.id ?? 0) + 1, name, data };
    for (const listener of this.listeners) finish(listener, this.ended);
    this.listeners.clear();
  }

  listen(after: number, listener: Listener): () => void {
    if (this.latest && this.latest.id > after) listener.onEvent(this.latest);
    if (this.ended) finish(listener, this.ended, after);
    else this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

function finish(listener: Listener, last: LabEvent, after = 0): void {
  if (last.id > after) listener.onEvent(last);
  listener.onEnd();
}
