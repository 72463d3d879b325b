import { type Etcd3, type IDuplexStream, type IWatchRequest, type IWatchResponse } from 'etcd3';
import { sleep } from '../sleep.js';

const EVENT_POLL_MS = 2;

type Stream = IDuplexStream<IWatchRequest, IWatchResponse>;

/**
 * Watches of keys, all on one stream. The package's own watcher creates them one after the other, and returns a watcher
 * only after its first events may have passed. Here every problem of the stream wakes the waiters, which read the queue
 * again.
 */
export class EtcdWatches {
  private stream: Promise<Stream> | undefined;
  private readonly wakes = new Map<string, () => void>();
  private readonly keys = new Map<string, string>();
  private last = 0;

  constructor(private readonly client: Etcd3) {}

  /** Calls `wake` at the first change of the key after the revision. Returns a function that ends the watch. */
  watch(key: string, revision: bigint, wake: () => void): () => void {
    this.last += 1;
    // Chosen here, so that the watch has an id before the server has answered.
    const id = String(this.last);
    this.wakes.set(id, wake);
    this.keys.set(id, key);
    const create_request = {
      key: Buffer.from(key),
      start_revision: String(revision + 1n),
      watch_id: id,
    };
    void this.send({ create_request });
    return () => {
      this.end(id);
    };
  }

  /**
   * Resolves when no event is on its way. A read is not ordered with the events of a watch, so the watched keys are read: each
   * that is gone will wake its waiter.
   */
  async caughtUp(): Promise<void> {
    while (this.wakes.size > 0) {
      const watched = [...this.wakes.keys()];
      const there = await Promise.all(watched.map((id) => this.client.get(this.keys.get(id) ?? '').exists()));
      if (!watched.some((id, index) => !there[index] && this.wakes.has(id))) return;
      await sleep(EVENT_POLL_MS);
    }
  }

  close(): void {
    const { stream } = this;
    if (!stream) return;
    this.broken(stream);
    stream.then(
      (open) => {
        open.cancel();
      },
      () => undefined,
    );
  }

  private async send(request: IWatchRequest): Promise<void> {
    const stream = (this.stream ??= this.open());
    try {
      (await stream).write(request);
    } catch {
      this.broken(stream);
    }
  }

  private open(): Promise<Stream> {
    const opening = this.client.watchClient.watch().then((stream) =>
      stream
        .on('data', ({ watch_id: id, canceled, events }) => {
          // The token that the stream began with may have expired: etcd then refuses every watch on it.
          if (canceled && this.wakes.has(id)) {
            this.close();
            return;
          }
          if (events.length === 0) return;
          const wake = this.wakes.get(id);
          this.end(id);
          wake?.();
        })
        .on('error', () => {
          this.broken(opening);
        })
        .on('end', () => {
          this.broken(opening);
        }),
    );
    return opening;
  }

  private end(id: string): void {
    this.keys.delete(id);
    if (this.wakes.delete(id)) void this.send({ cancel_request: { watch_id: id } });
  }

  private broken(stream: Promise<Stream>): void {
    if (this.stream !== stream) return;
    this.stream = undefined;
    const wakes = [...this.wakes.values()];
    this.wakes.clear();
    this.keys.clear();
    for (const wake of wakes) wake();
  }
}
