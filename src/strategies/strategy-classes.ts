import { readdir } from 'node:fs/promises';
import { type Type } from '@nestjs/common';
import { StrategyMark } from './strategy.js';

/** Every file in a family's folder that exports a class marked with @Strategy is a strategy: no list to keep. */
export async function strategyClasses(): Promise<Type[]> {
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
