// Which packages an instance loads at its start.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Compiled files that no instance loads. */
const NOT_THE_SERVICE = /^(lab|locks\/(bench|examples))\//;
const STATIC_IMPORT = /^(?:import|export) (?:[^'"]*? from )?['"]((?!node:)[^.'"][^'"]*)['"]/gm;

/** Nest needs it to be loaded first, but a bundler changes the order of side effects. So every bundled file imports it first. */
export const FIRST = 'reflect-metadata';

/**
 * The packages that the compiled service imports statically, without those that it loads on first use (`import()`).
 * @param {string} out the folder of the build
 */
export function servicePackages(out) {
  const service = join(out, 'src');
  const names = readdirSync(service, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !NOT_THE_SERVICE.test(file))
    .flatMap((file) => [...readFileSync(join(service, file), 'utf8').matchAll(STATIC_IMPORT)])
    .map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => name !== FIRST).sort();
}
