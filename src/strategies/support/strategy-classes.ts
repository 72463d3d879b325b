import { readdir } from 'node:fs/promises';
import { type Type } from '@nestjs/common';
import { FAMILIES, type StrategyListing, type StrategyMetadata } from '../../contract/strategy.js';
import { StrategyMark } from '../strategy.js';
import { promisesOf } from './promises.js';

const ROOT = new URL('..', import.meta.url);
const SPECIMENS = new URL('../../specimens/', import.meta.url);

/** The classes marked with @Strategy in the folders of the families. */
export async function strategyClasses(): Promise<Type[]> {
  const folders = new Set(await readdir(ROOT));
  const families = FAMILIES.filter((family) => folders.has(family));
  return (await Promise.all(families.map((family) => classesIn(new URL(`${family}/`, ROOT))))).flat();
}

/** The classes of the specimens, which only the instances of an experiment have. */
export function specimenClasses(): Promise<Type[]> {
  return classesIn(SPECIMENS);
}

type Declared = Omit<StrategyListing, 'available'>;

/** The metadata of all strategies, in reading order. It needs no server. */
export async function declaredStrategies(): Promise<Declared[]> {
  return listings(await strategyClasses());
}

/** The metadata of all specimens. It needs no server. */
export async function declaredSpecimens(): Promise<Declared[]> {
  return listings(await specimenClasses());
}

function listings(classes: readonly Type[]): Declared[] {
  return classes
    .map((strategy) => {
      const metadata = Reflect.getMetadata(StrategyMark.KEY, strategy) as StrategyMetadata;
      const baskets = 'deductAll' in (strategy.prototype as object);
      return { ...metadata, promises: promisesOf(metadata), baskets };
    })
    .sort((a, b) => FAMILIES.indexOf(a.family) - FAMILIES.indexOf(b.family) || a.lesson - b.lesson);
}

async function classesIn(folder: URL): Promise<Type[]> {
  const classes: Type[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.js')).sort())
    classes.push(...(await classesOf(new URL(file, folder))));
  return classes;
}

/** The classes marked with @Strategy in one compiled file. */
export async function classesOf(file: URL): Promise<Type[]> {
  const exported = (await import(file.href)) as Record<string, unknown>;
  return Object.values(exported).filter(isStrategyClass);
}

function isStrategyClass(value: unknown): value is Type {
  return typeof value === 'function' && Reflect.hasMetadata(StrategyMark.KEY, value);
}
