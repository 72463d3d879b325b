import { type RedisClient, subscriberOf } from './connect.js';

interface Channel {
  readonly listeners: Set<(message?: string) => void>;
  readonly subscribed: Promise<unknown>;
  linger: NodeJS.Timeout | undefined;
}

/** A subscription that nobody uses any more is kept this long: the next waiter often comes at once. */
const LINGER_MS = 1000;

export interface Listener {
  /** Resolves at the next message, after `ms`, or when the signal is aborted, whichever is first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  close(): void;
}

/**
 * Messages that a lock is free: one connection per process and one subscription per key, however many wait. A
 * message can be lost, so it is only ever a reason to try sooner; after a reconnect everybody is woken, because
 * what was sent meanwhile is gone.
 */
export class Wakeups {
  private subscriber: RedisClient | undefined;
  private closed = false;
  private readonly channels = new Map<string, Channel>();

  constructor(private readonly client: RedisClient) {}

  /**
   * Listens on a channel, to every message or only to those that say `address`. The first wait ends as soon as the
   * subscription stands: what was sent before is gone, so the caller must try again. Where no subscription can be
   * had, the waits still end by their time.
   */
  listen(name: string, address?: string): Listener {
    const channel = this.channels.get(name) ?? this.open(name);
    clearTimeout(channel.linger);
    let missed = false;
    let wake: (() => void) | undefined;
    const onMessage = (message?: string) => {
      if (message !== undefined && address !== undefined && message !== address) return;
      missed = true;
      wake?.();
    };
    channel.listeners.add(onMessage);
    void channel.subscribed.then(() => {
      onMessage();
    });
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
          // A message between the last try and this wait must not be slept through.
          if (missed || signal?.aborted) done();
        }),
      close: () => {
        channel.listeners.delete(onMessage);
        if (channel.listeners.size === 0) this.closeSoon(name, channel);
      },
    };
  }

  /** Whether this process itself would receive a message. */
  isListening(name: string): boolean {
    return this.channels.has(name);
  }

  /** Whoever still waits does so without messages: nothing may connect again, since nobody would close it. */
  close(): void {
    this.closed = true;
    for (const channel of this.channels.values()) clearTimeout(channel.linger);
    this.channels.clear();
    this.subscriber?.disconnect();
  }

  private open(name: string): Channel {
    const channel: Channel = {
      listeners: new Set(),
      subscribed: this.subscribe(name).catch(() => {
        this.forget(name, channel);
      }),
      linger: undefined,
    };
    this.channels.set(name, channel);
    return channel;
  }

  private async subscribe(name: string): Promise<unknown> {
    if (this.closed) throw new Error('The lock is closed.');
    this.subscriber ??= this.connect();
    return this.subscriber.subscribe(name);
  }

  private closeSoon(name: string, channel: Channel): void {
    channel.linger = setTimeout(() => {
      if (channel.listeners.size > 0 || !this.forget(name, channel)) return;
      this.subscriber?.unsubscribe(name).catch(() => undefined);
    }, LINGER_MS);
    channel.linger.unref();
  }

  /** False when another subscription has taken its place. */
  private forget(name: string, channel: Channel): boolean {
    return this.channels.get(name) === channel && this.channels.delete(name);
  }

  private connect(): RedisClient {
    const subscriber = subscriberOf(this.client);
    subscriber.on('error', () => undefined);
    subscriber.on('message', (name: string, message: string) => {
      this.notify(this.channels.get(name), message);
    });
    subscriber.on('ready', () => {
      for (const channel of this.channels.values()) this.notify(channel);
    });
    return subscriber;
  }

  private notify(channel: Channel | undefined, message?: string): void {
    for (const onMessage of channel?.listeners ?? []) onMessage(message);
  }
}
