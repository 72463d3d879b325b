import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { GateModule } from '../gate/gate.module.js';
import { StockModule } from '../goods/stock.module.js';
import { HealthModule } from '../health/health.module.js';
import { RedisLocks } from './redis-locks.js';
import { StrategyRegistry } from './registry.js';
import { Setnx } from './setnx.js';
import { StrategiesController } from './strategies.controller.js';
import { strategyClasses } from './strategy-classes.js';

@Module({})
export class StrategiesModule {
  static async register(): Promise<DynamicModule> {
    return {
      module: StrategiesModule,
      imports: [DiscoveryModule, StockModule, GateModule, HealthModule],
      controllers: [StrategiesController],
      providers: [StrategyRegistry, RedisLocks, Setnx, ...(await strategyClasses())],
      exports: [StrategyRegistry, RedisLocks],
    };
  }
}
