import { execFileSync } from 'node:child_process';
import { availableParallelism, loadavg, totalmem } from 'node:os';
import { findCommand } from '../../../bin/programs.js';
import { ask } from '../engines/redis.js';
import { labConnection, type ServerAddresses } from '../servers.js';

/** The machine that was measured. It contains no names, because reports are published. */
export interface Machine {
  readonly cores: number;
  readonly memoryGib: number;
  readonly node: string;
  readonly database: string;
  readonly redis: string;
  readonly nginx: string;
  /** The load average of the minute before the first run: other programs make the numbers worse. */
  readonly loadAverageBefore: number;
}

/** Must be called before the servers are started, because their start is load. */
export function loadAverage(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

export async function describeMachine(servers: ServerAddresses, loadAverageBefore: number): Promise<Machine> {
  return {
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    database: await databaseVersion(servers),
    redis: await redisVersion(servers.redisLabUrl),
    nginx: nginxVersion(),
    loadAverageBefore,
  };
}

async function databaseVersion(servers: ServerAddresses): Promise<string> {
  const connection = await labConnection(servers);
  const [rows] = await connection.query('SELECT VERSION() AS version');
  await connection.end();
  const [first] = rows as { version: string }[];
  const number = /^[\d.]+/.exec(first?.version ?? '')?.[0] ?? '';
  return `${servers.scheme === 'mariadb' ? 'MariaDB' : 'MySQL'} ${number}`;
}

function redisVersion(url: string): Promise<string> {
  return ask(url, async (client) => {
    const said = await client.info('server');
    return /redis_version:(\S+)/.exec(said)?.[1] ?? '';
  });
}

export function nginxVersion(): string {
  const program = findCommand('nginx');
  if (program === undefined) return '';
  // nginx prints its version on standard error.
  const said = execFileSync('/bin/sh', ['-c', '"$0" -v 2>&1', program], { encoding: 'utf8' });
  return /nginx\/([\d.]+)/.exec(said)?.[1] ?? '';
}
