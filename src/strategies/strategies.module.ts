import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HealthModule } from '../health/health.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { RedisStockModule } from '../redis-stock/redis-stock.module.js';
import { StockModule } from '../stock/stock.module.js';
import { StrategyRegistry } from './registry.js';
import { GoodsLocks } from './support/goods-locks.js';
import { Setnx } from './support/setnx.js';
import { specimenClasses, strategyClasses } from './support/strategy-classes.js';

@Module({})
export class StrategiesModule {
  /** An instance of an experiment also has the specimens. */
  static async register({ specimens }: { readonly specimens: boolean }): Promise<DynamicModule> {
    const classes = [...(await strategyClasses()), ...(specimens ? await specimenClasses() : [])];
    return {
      module: StrategiesModule,
      imports: [DiscoveryModule, StockModule, RedisStockModule, HealthModule, MetricsModule],
      providers: [StrategyRegistry, GoodsLocks, Setnx, ...classes],
      exports: [StrategyRegistry, GoodsLocks],
    };
  }
}
