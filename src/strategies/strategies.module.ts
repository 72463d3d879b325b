import { readdir } from 'node:fs/promises';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { GateModule } from '../gate/gate.module.js';
import { StockModule } from '../goods/stock.module.js';
import { HealthModule } from '../health/health.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { RedisLocks } from './redis-locks.js';
import { StrategyRegistry } from './registry.js';
import { StrategiesController } from './strategies.controller.js';
import { StrategyMark } from './strategy.js';

/** Every file in a family's folder that exports a class marked with @Strategy is a strategy: no list to keep. */
async function strategyClasses(): Promise<Type[]> {
  const root = new URL('.', import.meta.url);
  const classes: Type[] = [];
  for (const folder of await readdir(root, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    const family = new URL(`${folder.name}/`, root);
    for (const file of (await readdir(family)).filter((name) => name.endsWith('.js')).sort()) {
      const exported = (await import(new URL(file, family).href)) as Record<string, unknown>;
      classes.push(...Object.values(exported).filter(isStrategyClass));
    }
  }
  return classes;
}

function isStrategyClass(value: unknown): value is Type {
  return typeof value === 'function' && Reflect.hasMetadata(StrategyMark.KEY, value);
}

@Module({})
export class StrategiesModule {
  static async register(): Promise<DynamicModule> {
    return {
      module: StrategiesModule,
      imports: [DiscoveryModule, StockModule, GateModule, HealthModule, MetricsModule],
      controllers: [StrategiesController],
      providers: [StrategyRegistry, RedisLocks, ...(await strategyClasses())],
      exports: [StrategyRegistry, RedisLocks],
    };
  }
}
