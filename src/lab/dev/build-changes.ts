import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.js';

/** Which programs a changed source is part of. */
export interface BuildChanges {
  readonly paths: readonly string[];
  /** Instances load it when they start. */
  readonly service: boolean;
  /** It may change the schema. */
  readonly schema: boolean;
  /** This process has loaded it. */
  readonly lab: boolean;
}

type Sources = Readonly<Record<string, string>>;

const LAB = /^(src\/lab|bin)\//;
const PAGE = /^(web|docs)\//;
const SCHEMA = /^(migrations|src\/database)\//;

/** The sources of the build in dist/, each with the hash of its content. */
export function builtSources(): Sources {
  const stamp = JSON.parse(readFileSync(join(ROOT, 'dist/.build.json'), 'utf8')) as { sources: Sources };
  return stamp.sources;
}

export function changesBetween(before: Sources, after: Sources): BuildChanges {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (path) => before[path] !== after[path],
  );
  return {
    paths,
    service: paths.some((path) => !LAB.test(path) && !PAGE.test(path)),
    schema: paths.some((path) => SCHEMA.test(path)),
    lab: paths.some((path) => LAB.test(path)),
  };
}
