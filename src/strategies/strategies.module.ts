import { pathToFileURL } from 'node:url';
import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HealthModule } from '../health/health.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { RedisStockModule } from '../redis-stock/redis-stock.module.js';
import { StockModule } from '../stock/stock.module.js';
import { StrategyRegistry } from './registry.js';
import { GoodsLocks } from './support/goods-locks.js';
import { Setnx } from './support/setnx.js';
import { classesOf, specimenClasses, strategyClasses } from './support/strategy-classes.js';

/** What an instance sells with, besides the strategies of this project. */
export interface StrategySources {
  readonly specimens: boolean;
  /** The compiled file of a strategy that is tried. */
  readonly ownStrategy: string | undefined;
}

@Module({})
export class StrategiesModule {
  /** An instance of an experiment also has the specimens. */
  static async register({ specimens, ownStrategy }: StrategySources): Promise<DynamicModule> {
    const classes = [
      ...(await strategyClasses()),
      ...(specimens ? await specimenClasses() : []),
      ...(ownStrategy === undefined ? [] : await classesOf(pathToFileURL(ownStrategy))),
    ];
    return {
      module: StrategiesModule,
      imports: [DiscoveryModule, StockModule, RedisStockModule, HealthModule, MetricsModule],
      providers: [StrategyRegistry, GoodsLocks, Setnx, ...classes],
      exports: [StrategyRegistry, GoodsLocks],
    };
  }
}
