import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { GateModule } from '../gate/gate.module.js';
import { StockModule } from '../goods/stock.module.js';
import { HealthModule } from '../health/health.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { CoordinationGuard } from './coordination-guard.js';
import { RedisLocks } from './redis-locks.js';
import { StrategyRegistry } from './registry.js';
import { Setnx } from './setnx.js';
import { StrategiesController } from './strategies.controller.js';
import { specimenClasses, strategyClasses } from './strategy-classes.js';

@Module({})
export class StrategiesModule {
  /** With the specimens, for an instance of an experiment. */
  static async register({ specimens }: { readonly specimens: boolean }): Promise<DynamicModule> {
    const classes = [...(await strategyClasses()), ...(specimens ? await specimenClasses() : [])];
    return {
      module: StrategiesModule,
      imports: [DiscoveryModule, StockModule, GateModule, HealthModule, MetricsModule],
      controllers: [StrategiesController],
      providers: [StrategyRegistry, RedisLocks, CoordinationGuard, Setnx, ...classes],
      exports: [StrategyRegistry, RedisLocks],
    };
  }
}
