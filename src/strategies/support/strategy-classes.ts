import { readdir } from 'node:fs/promises';
import { type Type } from '@nestjs/common';
import { FAMILIES, type StrategyListing, type StrategyMetadata } from '../../contract/strategy.js';
import { StrategyMark } from '../strategy.js';
import { promisesOf } from './promises.js';

const ROOT = new URL('..', import.meta.url);

/** The classes marked with @Strategy in the folders of the families. */
export async function strategyClasses(): Promise<Type[]> {
  const folders = new Set(await readdir(ROOT));
  const families = FAMILIES.filter((family) => folders.has(family));
  return (await Promise.all(families.map((family) => classesIn(new URL(`${family}/`, ROOT))))).flat();
}

/** The metadata of all strategies, in reading order. It needs no server. */
export async function declaredStrategies(): Promise<Omit<StrategyListing, 'available'>[]> {
  return (await strategyClasses())
    .map((strategy) => {
      const metadata = Reflect.getMetadata(StrategyMark.KEY, strategy) as StrategyMetadata;
      const baskets = 'deductAll' in (strategy.prototype as object);
      return { ...metadata, promises: promisesOf(metadata), baskets };
    })
    .sort((a, b) => FAMILIES.indexOf(a.family) - FAMILIES.indexOf(b.family) || a.lesson - b.lesson);
}

export async function classesIn(folder: URL): Promise<Type[]> {
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
