import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Cluster, type Redis } from 'ioredis';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Busy, ClientGone, EngineUnavailable, LockstockError } from '../errors.js';
import { LocalSemaphore, LockTimeout } from '../locks/index.js';
import { RedisConnection } from './redis.module.js';

const SIZE = 8;
const CONNECTED_WITHIN_MS = 1000;
/** For this time after Redis has not answered, requests that waited for a connection fail at once instead of waiting for Redis. */
const DOUBT_MS = 500;

/**
 * Connections for one request at a time. WATCH belongs to the connection, and the EXEC of any request on it ends the WATCH:
 * two requests on one connection could both sell the last unit (see test/redis-watch.test.ts).
 */
@Injectable()
export class RedisConnectionPool implements OnApplicationShutdown {
  private readonly idle: Redis[] = [];
  private readonly slots = new Map<string, number>();
  private readonly turns: LocalSemaphore;
  private inDoubtUntil = 0;

  constructor(
    private readonly shared: RedisConnection,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.turns = new LocalSemaphore(SIZE, settings.maxInFlight);
  }

  /**
   * A connection to the server that has `key`. `work` must end what it begins: with EXEC or UNWATCH, or
   * with an error because Redis does not answer.
   */
  async use<T>(key: string, signal: AbortSignal, work: (connection: Redis) => Promise<T>): Promise<T> {
    const giveBack = await this.turn(signal);
    let connection: Redis | undefined;
    let clean = true;
    try {
      if (performance.now() < this.inDoubtUntil) throw new EngineUnavailable('redis');
      const owner = await this.ownerOf(key);
      connection = this.idleTo(owner) ?? (await this.connect(owner));
      return await work(connection);
    } catch (error) {
      clean = error instanceof LockstockError;
      if (clean) throw error;
      this.inDoubtUntil = performance.now() + DOUBT_MS;
      throw new EngineUnavailable('redis');
    } finally {
      if (clean && connection?.status === 'ready') this.idle.push(connection);
      else connection?.disconnect();
      giveBack();
    }
  }

  onApplicationShutdown(): void {
    for (const connection of this.idle) connection.disconnect();
  }

  private async turn(signal: AbortSignal): Promise<() => void> {
    try {
      return await this.turns.acquire({ waitMs: this.settings.lockWaitMs, signal });
    } catch (error) {
      if (signal.aborted) throw new ClientGone();
      throw error instanceof LockTimeout
        ? new Busy('Every Redis connection of this instance is in use.')
        : error;
    }
  }

  /** In a cluster, a transaction runs on the one node that has its keys. */
  private async ownerOf(key: string): Promise<Redis> {
    const { client, up } = this.shared;
    if (!client || !up) throw new EngineUnavailable('redis');
    if (!(client instanceof Cluster)) return client;
    const slot = this.slots.get(key) ?? (await client.cluster('KEYSLOT', key));
    this.slots.set(key, slot);
    const [master] = client.slots[slot] ?? [];
    const owner = client.nodes('master').find((node) => addressOf(node) === master);
    if (!owner) throw new EngineUnavailable('redis');
    return owner;
  }

  private idleTo(owner: Redis): Redis | undefined {
    const index = this.idle.findIndex((connection) => addressOf(connection) === addressOf(owner));
    return index < 0 ? undefined : this.idle.splice(index, 1)[0];
  }

  private async connect(owner: Redis): Promise<Redis> {
    const connection = owner.duplicate({
      lazyConnect: true,
      enableOfflineQueue: false,
      retryStrategy: () => null,
    });
    connection.on('error', () => undefined);
    connection.once('end', () => {
      const index = this.idle.indexOf(connection);
      if (index >= 0) this.idle.splice(index, 1);
    });
    // ioredis has no time limit for the handshake after the connection is open.
    const connected = await Promise.race([
      connection.connect().then(() => true),
      sleep(CONNECTED_WITHIN_MS, false, { ref: false }),
    ]);
    if (connected) return connection;
    connection.disconnect();
    throw new Error('Redis does not answer a new connection');
  }
}

function addressOf({ options }: Redis): string {
  return `${options.host ?? ''}:${options.port ?? ''}`;
}
