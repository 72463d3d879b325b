import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { FAULTS } from '../../contract/fault.js';
import { type StrategyMetadata } from '../../contract/strategy.js';
import { promisesOf } from '../../strategies/support/promises.js';
import { declaredStrategies } from '../../strategies/support/strategy-classes.js';
import { LabError } from '../errors.js';
import { allExperiments } from '../experiments/catalogue.js';
import { type Experiment } from '../experiments/experiment.js';
import { ROOT } from '../paths.js';
import { ideaOf } from './idea.js';

export interface LuaScript {
  readonly path: string;
  readonly text: string;
  /** Whether it belongs to the strategy or to the lock library. */
  readonly own: boolean;
}

/** Everything that a strategy's page shows. Paths are relative to the project's folder. */
export interface Facts {
  readonly metadata: StrategyMetadata;
  readonly baskets: boolean;
  readonly source: string;
  /** The comment above the class. */
  readonly idea: string;
  readonly transcript: { readonly path: string; readonly text: string } | undefined;
  readonly scripts: readonly LuaScript[];
  /** The stored procedures that it calls. */
  readonly procedures: readonly { readonly path: string; readonly text: string }[];
  readonly experiments: readonly Pick<Experiment, 'id' | 'title' | 'expected'>[];
  readonly useWhen: string;
  readonly costs: string;
}

/** In reading order. */
export async function readFacts(): Promise<Facts[]> {
  return (await declaredStrategies()).map(({ baskets, ...metadata }) => factsOf(metadata, baskets));
}

function factsOf(metadata: StrategyMetadata, baskets: boolean): Facts {
  const { name, family } = metadata;
  const source = `src/strategies/${family}/${name}.ts`;
  const path = `docs/transcripts/${name}.sql`;
  const { useWhen, costs } = metadata;
  if (useWhen === undefined || costs === undefined)
    throw new LabError(`${source} has no useWhen or no costs.`);
  const unknown = metadata.breaksUnder.find((fault) => !FAULTS.has(fault));
  if (unknown !== undefined)
    throw new LabError(`${source} names the fault ${unknown}, which is not in src/contract/fault.ts.`);
  const transcript = existsSync(join(ROOT, path)) ? { path, text: read(path) } : undefined;
  return {
    metadata,
    baskets,
    useWhen,
    costs,
    experiments: allExperiments([
      { ...metadata, promises: promisesOf(metadata), baskets, available: true },
    ]).filter(({ strategy }) => strategy === name),
    source,
    idea: ideaOf(read(source)),
    transcript,
    scripts: scriptsOf(transcript?.text ?? '', dirname(source)),
    procedures: proceduresOf(transcript?.text ?? ''),
  };
}

/** The scripts that the transcript names. `queue.lua` has the code that `queue-enter.lua` and the others share. */
function scriptsOf(transcript: string, ownFolder: string): LuaScript[] {
  const names = [...transcript.matchAll(/EVALSHA (\S+\.lua)/g)].map(([, name = '']) => name);
  const wanted = new Set(names.flatMap((name) => [name.replace(/-[a-z]+\.lua$/, '.lua'), name]));
  const all = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).map(
    (file) => `src/${file}`,
  );
  return [...wanted].flatMap((name) => {
    const path = all.find((file) => basename(file) === name);
    return path === undefined ? [] : [{ path, text: read(path), own: dirname(path) === ownFolder }];
  });
}

function proceduresOf(transcript: string): Facts['procedures'] {
  const names = [...transcript.matchAll(/^CALL (\w+)\(/gm)].map(([, name = '']) => name);
  return readdirSync(join(ROOT, 'migrations'))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => ({ path: `migrations/${file}`, text: read(`migrations/${file}`) }))
    .filter(({ text }) => names.some((name) => text.includes(`CREATE PROCEDURE IF NOT EXISTS ${name}(`)));
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
