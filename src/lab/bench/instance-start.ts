/**
 * Measures the CPU time (user and system, of the whole process) that one instance needs until it is ready, and how many
 * JavaScript files it has loaded by then. Wall time would depend on other work of the machine.
 * `npm run bench:start` measures the service in dist/; other builds are measured in turn with it:
 * `npm run bench:start -- --starts 10 ../other/dist/src/main.js`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DataFolder } from '../data-folder.js';
import { migrateDatabase } from '../migration.js';
import { ROOT, SERVICE_PROGRAM } from '../paths.js';
import { freePort } from '../ports.js';
import { Child } from '../processes/child.js';
import { ProcessReaper } from '../processes/process-reaper.js';
import { milliseconds } from '../report/numbers.js';
import { textTable } from '../report/text-table.js';
import { serviceEnvironment, Servers } from '../servers.js';

const { values, positionals } = parseArgs({
  options: { starts: { type: 'string', default: '5' } },
  allowPositionals: true,
});
const programs = [SERVICE_PROGRAM, ...positionals.map((path) => resolve(path))];
const tickMs = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** User and system time of a process so far. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

async function start(
  program: string,
  env: Record<string, string>,
  logFile: string,
  reaper: ProcessReaper,
): Promise<number> {
  const port = await freePort();
  const child = new Child({
    name: relative(ROOT, program),
    command: process.execPath,
    args: [program],
    env: {
      PATH: process.env['PATH'] ?? '',
      ...env,
      INSTANCE: 'bench',
      HOST: '127.0.0.1',
      PORT: String(port),
    },
    logFile,
    reaper,
  });
  try {
    await child.ready(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok);
    return cpuMs(child.pid);
  } finally {
    await child.stop();
  }
}

const reaper = new ProcessReaper();
const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-bench-')));
reaper.addFile(folder.path);
await folder.occupy({ fresh: false });
const servers = await Servers.start(folder, reaper, console.error);
try {
  await servers.complete;
  await migrateDatabase({ folder, reaper, servers: servers.addresses, database: 'lockstock' });
  const env = serviceEnvironment(servers.addresses, 'lockstock');
  const costs = programs.map((program) => ({ program: relative(ROOT, program), cpu: [] as number[] }));
  for (let round = 0; round < Number(values.starts); round++)
    for (const [index, program] of programs.entries())
      costs[index]?.cpu.push(await start(program, env, folder.in('logs/bench.log'), reaper));
  console.log(
    textTable(
      [
        { title: 'service', cell: ({ program }) => program },
        { title: 'CPU ms, median', align: 'right', cell: ({ cpu }) => milliseconds(median(cpu)) },
        { title: 'of each start', cell: ({ cpu }) => cpu.join(' ') },
      ],
      costs,
    ),
  );
} finally {
  await servers.stop();
  await reaper.close();
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
