/** An event with its number: a client that reconnects sends the number of the last event that it got. */
export interface LabEvent {
  readonly id: number;
  readonly name: string;
  readonly data: unknown;
}

export interface Listener {
  onEvent(event: LabEvent): void;
  /** No further event follows. */
  onEnd(): void;
}

/** A stream of events; `listen` returns a function that removes the listener. */
export interface Events {
  listen(after: number, listener: Listener): () => void;
}

/** Keeps all events. A new listener first gets all earlier events, then the later ones. */
export class EventLog implements Events {
  private readonly events: LabEvent[] = [];
  private readonly listeners = new Set<Listener>();
  private ended = false;

  append(name: string, data: unknown): void {
    const event = { id: this.events.length + 1, name, data };
    this.events.push(event);
    for (const listener of this.listeners) listener.onEvent(event);
  }

  end(): void {
    this.ended = true;
    for (const listener of this.listeners) listener.onEnd();
    this.listeners.clear();
  }

  listen(after: number, listener: Listener): () => void {
    for (const event of this.events.slice(after)) listener.onEvent(event);
    if (this.ended) listener.onEnd();
    else this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Reads the current state periodically, while there is a listener. */
export class Pulse implements Events {
  private readonly listeners = new Set<Listener>();
  private timer: NodeJS.Timeout | undefined;
  private beats = 0;

  constructor(
    private readonly name: string,
    private readonly everyMs: number,
    private readonly look: () => Promise<unknown>,
  ) {}

  listen(_after: number, listener: Listener): () => void {
    this.listeners.add(listener);
    if (this.timer === undefined) {
      this.timer = setInterval(() => void this.beat(), this.everyMs);
    }
    void this.beat();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  private async beat(): Promise<void> {
    const data = await this.look().catch(() => undefined);
    if (data === undefined) return;
    this.beats += 1;
    for (const listener of this.listeners) listener.onEvent({ id: this.beats, name: this.name, data });
  }
}
