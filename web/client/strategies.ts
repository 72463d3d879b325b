import { isStrategyList } from '../../src/contract/guards.js';
import { type Lesson } from '../../src/contract/strategy.js';
import { object } from './guards.js';
import { call } from './http.js';

const isLesson = object<Lesson>({ files: 'array', sale: 'array' });

export const listStrategies = (signal?: AbortSignal) => call('/strategies', isStrategyList, { signal });
export const readLesson = (name: string, signal?: AbortSignal) =>
  call(`/lessons/${encodeURIComponent(name)}.json`, isLesson, { signal });
