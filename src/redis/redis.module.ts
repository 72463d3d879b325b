import { Global, Inject, Injectable, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { SETTINGS, type Settings } from '../config/settings.js';
import { EngineUnavailable } from '../errors.js';

const COMMAND_TIMEOUT_MS = 1000;

/**
 * The connection to Redis, or none where REDIS_URL is not set. Commands fail soon instead of waiting for a server
 * that is gone: by default ioredis would hold them for over a minute.
 */
@Injectable()
export class RedisConnection implements OnApplicationShutdown {
  private readonly log = new Logger('Redis');
  readonly client: Redis | undefined;

  constructor(@Inject(SETTINGS) settings: Settings) {
    if (!settings.redisUrl) return;
    this.client = new Redis(settings.redisUrl, {
      commandTimeout: COMMAND_TIMEOUT_MS,
      connectTimeout: 2000,
      maxRetriesPerRequest: 1,
      enableOfflineQueue: false,
      retryStrategy: (times) => Math.min(times * 100, 1000),
    });
    let up = true;
    this.client.on('error', (error: Error) => {
      if (up) this.log.warn(`no connection: ${error.message}`);
      up = false;
    });
    this.client.on('ready', () => {
      if (!up) this.log.log('connected again');
      up = true;
    });
  }

  get configured(): boolean {
    return this.client !== undefined;
  }

  get up(): boolean {
    return this.client?.status === 'ready';
  }

  /** Runs a command, and says so plainly when Redis does not answer. */
  async run<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    if (!this.client) throw new EngineUnavailable('redis');
    try {
      return await command(this.client);
    } catch (error) {
      this.log.warn(`command failed: ${(error as Error).message}`);
      throw new EngineUnavailable('redis');
    }
  }

  onApplicationShutdown(): void {
    this.client?.disconnect();
  }
}

@Global()
@Module({ providers: [RedisConnection], exports: [RedisConnection] })
export class RedisModule {}
