import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database, poolSize } from './database.js';
import { dataSourceOptions } from './options.js';

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: (settings: Settings) => ({
        ...dataSourceOptions(settings.databaseUrl, poolSize(settings)),
        retryAttempts: 0,
        // Entities are registered by the modules that own them.
        autoLoadEntities: true,
      }),
    }),
  ],
  providers: [Database],
  exports: [Database, TypeOrmModule],
})
export class DatabaseModule {}
