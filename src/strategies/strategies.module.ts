import { readdir } from 'node:fs/promises';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { GateModule } from '../gate/gate.module.js';
import { StockModule } from '../goods/stock.module.js';
import { HealthModule } from '../health/health.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { RedisLocks } from './redis-locks.js';
import { StrategyRegistry } from './registry.js';
import { Setnx } from './setnx.js';
import { StrategiesController } from './strategies.controller.js';
import { StrategyMark } from './strategy.js';

const ROOT = new URL('.', import.meta.url);
const SPECIMENS = new URL('../specimens/', import.meta.url);

/** Every file in a family's folder that exports a class marked with @Strategy is a strategy: no list to keep. */
async function strategyClasses(): Promise<Type[]> {
  const folders = (await readdir(ROOT, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const families = await Promise.all(folders.map(({ name }) => classesIn(new URL(`${name}/`, ROOT))));
  return families.flat();
}

async function classesIn(folder: URL): Promise<Type[]> {
  const classes: Type[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.js')).sort()) {
    const exported = (await import(new URL(file, folder).href)) as Record<string, unknown>;
    classes.push(...Object.values(exported).filter(isStrategyClass));
  }
  return classes;
}

function isStrategyClass(value: unknown): value is Type {
  return typeof value === 'function' && Reflect.hasMetadata(StrategyMark.KEY, value);
}

@Module({})
export class StrategiesModule {
  /** With the specimens, for an instance of an experiment. */
  static async register({ specimens }: { readonly specimens: boolean }): Promise<DynamicModule> {
    const classes = [...(await strategyClasses()), ...(specimens ? await classesIn(SPECIMENS) : [])];
    return {
      module: StrategiesModule,
      imports: [DiscoveryModule, StockModule, GateModule, HealthModule, MetricsModule],
      controllers: [StrategiesController],
      providers: [StrategyRegistry, RedisLocks, Setnx, ...classes],
      exports: [StrategyRegistry, RedisLocks],
    };
  }
}
