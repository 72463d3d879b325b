import { execFileSync } from 'node:child_process';
import { findCommand } from '../../bin/programs.js';

const OLDEST = [8, 4] as const;

/** MySQL's server, if one is installed that the service supports. MariaDB also has a program of this name. */
export function mysqlProgram(): string | undefined {
  const program = findCommand('mysqld');
  if (program === undefined) return undefined;
  const said = execFileSync(program, ['--no-defaults', '--version'], { encoding: 'utf8' });
  if (said.includes('MariaDB')) return undefined;
  const [, major = 0, minor = 0] = (/Ver (\d+)\.(\d+)/.exec(said) ?? []).map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]) ? program : undefined;
}
