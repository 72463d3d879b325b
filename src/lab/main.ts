import { LabError, UsageError } from './errors.js';
import { terminal } from './terminal.js';

type Command = (args: string[]) => Promise<number>;

/** Loaded when they are asked for: each needs much that the others do not. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['up', async () => (await import('./commands/up.js')).up],
  ['load', async () => (await import('./commands/load.js')).load],
  ['compare', async () => (await import('./commands/compare.js')).compare],
  ['experiments', async () => (await import('./commands/experiments.js')).experiments],
  ['chaos', async () => (await import('./commands/chaos.js')).chaos],
]);

/** Runs one command of the lab; the answer is the exit code. `bin/lockstock.js` has seen to help and set-up. */
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
