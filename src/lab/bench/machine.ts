import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, hostname, totalmem } from 'node:os';
import { findCommand } from '../../../bin/programs.js';
import { nginxVersion } from '../compare/machine.js';
import { type BenchMachine } from './report.js';

/** The machine, with what tells it from others: numbers of two machines must not be compared. */
export function describeBenchMachine(loadAverageBefore: number): BenchMachine {
  const cpu = cpus()[0]?.model.trim() ?? 'unknown';
  return {
    ...{ cores: availableParallelism(), cpu, memoryGib: Math.round(totalmem() / 2 ** 30) },
    ...{ node: process.versions.node, nginx: nginxVersion(), loadAverageBefore, id: machineId(cpu) },
    database: `${findCommand('mariadbd') === undefined ? 'MySQL' : 'MariaDB'} ${versionOf(['mariadbd', 'mysqld'], /Ver (?:.*Distrib )?([\d.]+)/)}`,
    redis: versionOf(['redis-server'], /v=([\d.]+)/),
  };
}

function versionOf(commands: readonly string[], pattern: RegExp): string {
  const program = findCommand(...commands);
  if (program === undefined) return '';
  return pattern.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1] ?? '';
}

/** A hash, because reports are published. */
function machineId(cpu: string): string {
  const parts = ['lockstock bench', systemId(), cpu, cpus().length, totalmem()];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
}

/** What the operating system calls this machine; a container without such a file has the name of its host only. */
function systemId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || hostname();
  } catch {
    return hostname();
  }
}
