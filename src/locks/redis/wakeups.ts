import { type Listener } from '../exclusive/engine.js';
import { type RedisClient } from './connect.js';
import { type Channel, Subscriber } from './subscriber.js';

/** The messages of one lock object. Lock objects with the same client share one subscriber connection. */
export class Wakeups {
  private subscriber: Subscriber | undefined;
  private closed = false;

  constructor(private readonly client: RedisClient) {}

  /**
   * Listens on a channel, to every message or only to those whose text is `address`. The first wait ends as soon as the
   * subscription exists: earlier messages are lost, so the caller must retry. Without a subscription each wait ends after
   * its time.
   */
  listen(name: string, address?: string): Listener {
    const channel = this.open(name);
    let missed = false;
    let wake: (() => void) | undefined;
    const onMessage = (message?: string) => {
      if (message !== undefined && address !== undefined && message !== address) return;
      missed = true;
      wake?.();
    };
    channel?.add(onMessage);
    return {
      wait: (ms, signal) =>
        new Promise((resolve) => {
          const done = () => {
            clearTimeout(timer);
            signal?.removeEventListener('abort', done);
            wake = undefined;
            missed = false;
            resolve();
          };
          const timer = setTimeout(done, ms);
          signal?.addEventListener('abort', done);
          wake = done;
          // A message between the last attempt and this wait must not be missed.
          if (missed || signal?.aborted) done();
        }),
      close: () => {
        channel?.remove(onMessage);
      },
    };
  }

  /** Whether this client itself would receive a message. */
  isListening(name: string): boolean {
    return this.subscriber?.has(name) ?? false;
  }

  /** Callers that still wait get no more messages. The last lock object that uses the subscriber closes its connection. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.subscriber?.leave();
  }

  private open(name: string): Channel | undefined {
    if (this.closed) return undefined;
    this.subscriber ??= Subscriber.of(this.client);
    return this.subscriber.channel(name);
  }
}
