import { call } from './http.js';

export const FAMILIES = [
  'unsafe',
  'process',
  'database',
  'redis-stock',
  'redis-lock',
  'fencing',
  'coordination',
  'queue',
] as const;
export type Family = (typeof FAMILIES)[number];
export type Guarantee = 'always' | 'while-the-lease-holds' | 'one-process' | 'never';

export interface Strategy {
  readonly name: string;
  readonly family: Family;
  readonly title: string;
  readonly stock: 'mysql' | 'redis';
  readonly needs: readonly string[];
  readonly safe: Guarantee;
  readonly breaksUnder: readonly string[];
  readonly promises: { readonly losesNothing: { readonly unless: readonly string[] } };
  readonly teaches: string;
  readonly baskets: boolean;
  /** Are its servers configured and up? */
  readonly available: boolean;
}

/** Written by the build: the files that show how a strategy works, and what one deduction sends. */
export interface Lesson {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly transcript: string | null;
}

export const listStrategies = (signal?: AbortSignal) =>
  call('/strategies', { signal }) as Promise<readonly Strategy[]>;
export const readLesson = (name: string, signal?: AbortSignal) =>
  call(`/lessons/${encodeURIComponent(name)}.json`, { signal }) as Promise<Lesson>;
