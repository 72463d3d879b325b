import { readdirSync, readFileSync } from 'node:fs';

/** Command lines of processes that name the folder. */
export function processesAbout(folder: string): string[] {
  const commandOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return ''; // It has ended since.
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandOf)
    .filter((command) => command.includes(folder));
}
