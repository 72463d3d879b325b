import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { connectRedis, type RedisClient } from '../locks/index.js';

/** The independent masters that vote in a Redlock; none where REDLOCK_URLS is not set. */
@Injectable()
export class RedlockNodes implements OnApplicationShutdown {
  private readonly log = new Logger('Redlock');
  readonly clients: readonly RedisClient[];

  constructor(@Inject(SETTINGS) { redlockUrls }: Settings) {
    this.clients = redlockUrls.map((url, index) => {
      const client = connectRedis(url);
      let up = true;
      client.on('error', (error: Error) => {
        if (up) this.log.warn(`no connection to master ${index + 1}: ${error.message}`);
        up = false;
      });
      client.on('ready', () => (up = true));
      return client;
    });
  }

  get configured(): boolean {
    return this.clients.length > 0;
  }

  /** Which of them are up. */
  get each(): readonly boolean[] {
    return this.clients.map(({ status }) => status === 'ready');
  }

  /** Without a majority no lock can be acquired. */
  get up(): boolean {
    return this.each.filter((up) => up).length > this.clients.length / 2;
  }

  onApplicationShutdown(): void {
    for (const client of this.clients) client.disconnect();
  }
}
