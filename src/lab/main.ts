import { LabError } from './errors.js';
import { terminal } from './terminal.js';
import { up } from './commands/up.js';

/** Runs one command of the lab; the answer is the exit code. `bin/lockstock.js` has seen to help and set-up. */
export async function main(command: string, args: string[]): Promise<number> {
  try {
    if (command === 'up') return await up(args);
    throw new LabError(`no command ${JSON.stringify(command)}`);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    terminal.warn(error.message);
    return 1;
  }
}
