import { Global, Inject, Injectable, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { EngineUnavailable } from '../errors.js';
import { connectRedis, type RedisClient } from '../locks/index.js';
import { RedlockNodes } from './redlock-nodes.js';

/** The connection to Redis that REDIS_URL describes, or none when it is not set. */
@Injectable()
export class RedisConnection implements OnApplicationShutdown {
  private readonly log = new Logger('Redis');
  readonly client: RedisClient | undefined;

  constructor(@Inject(SETTINGS) settings: Settings) {
    if (!settings.redisUrl) return;
    this.client = connectRedis(settings.redisUrl);
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

  /** Runs a command. When Redis does not answer, the error says so. */
  async run<T>(command: (client: RedisClient) => Promise<T>): Promise<T> {
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
@Module({ providers: [RedisConnection, RedlockNodes], exports: [RedisConnection, RedlockNodes] })
export class RedisModule {}
