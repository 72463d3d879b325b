import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ExplorationRecord } from '../../contract/exploration.js';

/** One line for each step, so that a change of behaviour is a short diff. */
function formatRecord({ counterexample, ...rest }: ExplorationRecord): string {
  const lines = (items: readonly unknown[]) =>
    `[\n${items.map((item) => `      ${JSON.stringify(item)}`).join(',\n')}\n    ]`;
  const head = JSON.stringify(rest, null, 2).slice(0, -2);
  if (!counterexample) return `${head}\n}\n`;
  const { actors, steps, ...facts } = counterexample;
  const members = Object.entries(facts).map(([name, value]) => `    "${name}": ${JSON.stringify(value)}`);
  const story = [...members, `    "actors": ${lines(actors)}`, `    "steps": ${lines(steps)}`].join(',\n');
  return `${head},\n  "counterexample": {\n${story}\n  }\n}\n`;
}

export function writeExploration(folder: string, record: ExplorationRecord): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${record.id}.json`);
  writeFileSync(path, formatRecord(record));
  return path;
}

/** The recorded explorations, in the order of their names. */
export function readExplorations(folder: string): readonly ExplorationRecord[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : [];
  return files
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as ExplorationRecord);
}
