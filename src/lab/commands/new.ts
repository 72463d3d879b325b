import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readArguments } from '../arguments.js';
import { UsageError } from '../errors.js';
import { explorableStrategies } from '../explorer/explorable.js';
import { requireWritableFile } from '../output-files.js';
import { requireName } from '../own/names.js';
import { starter } from '../own/starter.js';
import { terminal } from '../terminal.js';

/** `lockstock new`: writes a strategy to begin with. */
export async function newStrategy(args: string[]): Promise<number> {
  const { positionals } = readArguments('new', args, {}, true);
  const [name] = positionals;
  if (name === undefined || positionals.length > 1)
    throw new UsageError('Name one strategy, for example `lockstock new my-strategy`.');
  requireName(name);
  if ((await explorableStrategies()).some((other) => other.name === name))
    throw new UsageError(`Lockstock has a strategy ${name} already. Choose another name.`);
  const file = resolve(`${name}.ts`);
  if (existsSync(file))
    throw new UsageError(`${file} exists already. Nothing was written; choose another name.`);
  requireWritableFile('file', file);
  // Fails if the file was created in the meantime.
  writeFileSync(file, starter(name), { flag: 'wx' });
  terminal.print(`${file} is a strategy that works. Change it, then run: npx lockstock try ${name}.ts`);
  return 0;
}
