import { LabError, UsageError } from './errors.js';
import { terminal } from './terminal.js';

type Command = (args: string[]) => Promise<number>;

/** Loaded on use, because each command needs many modules that the others do not. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['up', async () => (await import('./commands/up.js')).up],
  ['dev', async () => (await import('./commands/dev.js')).dev],
  ['load', async () => (await import('./commands/load.js')).load],
  ['compare', async () => (await import('./commands/compare.js')).compare],
  ['bench', async () => (await import('./commands/bench.js')).bench],
  ['experiments', async () => (await import('./commands/experiments.js')).experiments],
  ['explore', async () => (await import('./commands/explore.js')).explore],
  ['new', async () => (await import('./commands/new.js')).newStrategy],
  ['try', async () => (await import('./commands/try.js')).tryStrategy],
  ['probe', async () => (await import('./commands/probe.js')).probe],
  ['chaos', async () => (await import('./commands/chaos.js')).chaos],
]);

/** Runs one command of the lab and resolves with the exit code. `bin/lockstock.js` handles help and set-up. */
export async function main(command: string, args: string[]): Promise<number> {
  try {
    const load = COMMANDS.get(command);
    if (!load)
      throw new UsageError(
        `Unknown command ${JSON.stringify(command)}. Run \`lockstock --help\` for a list.`,
      );
    return await (
      await load()
    )(args);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    terminal.warn(error.message);
    return error instanceof UsageError ? 2 : 1;
  }
}
