import { COORDINATION_KINDS } from './coordination.js';
import { type FuzzKind } from './kind.js';
import { MASTERS_KINDS } from './masters.js';
import { MYSQL_KINDS } from './mysql.js';
import { PLANTED_KINDS } from './planted.js';
import { REDIS_KINDS } from './redis.js';

/** Every kind of lock of the library that works between processes. */
export const FUZZ_KINDS: readonly FuzzKind[] = [
  ...REDIS_KINDS,
  ...MASTERS_KINDS,
  ...MYSQL_KINDS,
  ...COORDINATION_KINDS,
];

export function kindNamed(name: string): FuzzKind {
  const kind = [...FUZZ_KINDS, ...PLANTED_KINDS].find((candidate) => candidate.name === name);
  if (!kind) throw new Error(`There is no kind of lock called ${name}.`);
  return kind;
}
