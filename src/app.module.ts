import { type DynamicModule, Global, Module } from '@nestjs/common';
import { SETTINGS, type Settings } from './config/settings.js';
import { CoordinationModule } from './coordination/coordination.module.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { RedisModule } from './redis/redis.module.js';

/** One instance of the service with the given settings. */
@Global()
@Module({})
export class AppModule {
  static for(settings: Settings): DynamicModule {
    const http = HttpModule.register({
      specimens: settings.checkpoints !== undefined,
      ownStrategy: settings.ownStrategy,
    });
    return {
      module: AppModule,
      imports: [DatabaseModule, RedisModule, CoordinationModule, HealthModule, MetricsModule, http],
      providers: [{ provide: SETTINGS, useValue: settings }],
      exports: [SETTINGS],
    };
  }
}
