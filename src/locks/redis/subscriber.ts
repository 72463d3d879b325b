import { Redis } from 'ioredis';
import { type RedisClient, subscriberOf } from './connect.js';

type OnMessage = (message?: string) => void;

/** A subscription without listeners is kept for this time: often another waiter follows immediately. */
const LINGER_MS = 1000;

const SUBSCRIBERS = new WeakMap<RedisClient, Subscriber>();

/** One connection per client and one subscription per channel, however many callers wait. */
export class Subscriber {
  private users = 0;
  private readonly connection: RedisClient;
  private readonly channels = new Map<string, Channel>();

  private constructor(private readonly client: RedisClient) {
    this.connection = subscriberOf(client);
    // ioredis would subscribe again by itself, but ignore a rejection: closing the connection at that moment would end
    // the process with an unhandled rejection.
    if (this.connection instanceof Redis) this.connection.options.autoResubscribe = false;
    this.connection.on('error', () => undefined);
    this.connection.on('message', (name: string, message: string) => {
      this.channels.get(name)?.notify(message);
    });
    this.connection.on('ready', () => {
      for (const [name, channel] of this.channels) void this.resubscribe(name, channel);
    });
  }

  /** The client's subscriber, which several lock objects share. Each of them calls `leave` once. */
  static of(client: RedisClient): Subscriber {
    const subscriber = SUBSCRIBERS.get(client) ?? new Subscriber(client);
    SUBSCRIBERS.set(client, subscriber);
    subscriber.users += 1;
    return subscriber;
  }

  leave(): void {
    this.users -= 1;
    if (this.users > 0) return;
    SUBSCRIBERS.delete(this.client);
    for (const channel of this.channels.values()) channel.stop();
    this.channels.clear();
    this.connection.disconnect();
  }

  has(name: string): boolean {
    return this.channels.has(name);
  }

  channel(name: string): Channel {
    const open = this.channels.get(name);
    if (open) return open;
    const channel: Channel = new Channel(
      this.connection.subscribe(name).catch(() => {
        this.forget(name, channel);
      }),
      () => {
        if (this.forget(name, channel)) this.connection.unsubscribe(name).catch(() => undefined);
      },
    );
    this.channels.set(name, channel);
    return channel;
  }

  /** After a reconnect: messages sent meanwhile are lost, so every listener is woken. */
  private async resubscribe(name: string, channel: Channel): Promise<void> {
    await this.connection.subscribe(name).catch(() => undefined);
    channel.notify();
  }

  /** False when the channel has been replaced by another subscription. */
  private forget(name: string, channel: Channel): boolean {
    return this.channels.get(name) === channel && this.channels.delete(name);
  }
}

/** The listeners of one subscription. */
export class Channel {
  private readonly listeners = new Set<OnMessage>();
  private linger: NodeJS.Timeout | undefined;

  constructor(
    private readonly subscribed: Promise<unknown>,
    private readonly unsubscribe: () => void,
  ) {}

  add(listener: OnMessage): void {
    clearTimeout(this.linger);
    this.listeners.add(listener);
    void this.subscribed.then(() => {
      listener();
    });
  }

  remove(listener: OnMessage): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    clearTimeout(this.linger);
    this.linger = setTimeout(() => {
      if (this.listeners.size === 0) this.unsubscribe();
    }, LINGER_MS).unref();
  }

  notify(message?: string): void {
    for (const listener of this.listeners) listener(message);
  }

  stop(): void {
    clearTimeout(this.linger);
  }
}
