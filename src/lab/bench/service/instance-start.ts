import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InstanceEngine } from '../../engines/instance.js';
import { BARE_SERVICE_PROGRAM } from '../../paths.js';
import { freePort } from '../../ports.js';
import { type PrivateSystem } from '../../private-system.js';
import { ProcessReaper } from '../../processes/process-reaper.js';
import { serviceEnvironment } from '../../servers.js';
import { type PartReport } from '../report.js';
import { type BenchStep, takeTurns, type Turns } from '../turns.js';

/** The CPU time, user and system, that one instance needs until it is ready. Wall time would depend on other work of the machine. */
export async function instanceStart({ servers, database }: PrivateSystem, turns: Turns): Promise<PartReport> {
  const reaper = new ProcessReaper();
  const folder = mkdtempSync(join(tmpdir(), 'lockstock-bench-start-'));
  reaper.addFile(folder);
  const env = { ...serviceEnvironment(servers.addresses, database), LOG_LEVEL: 'warn' };
  const step = (name: string, program?: string): BenchStep => ({
    name,
    measure: async () => {
      const place = { name: 'started', port: await freePort(), logFile: join(folder, 'started.log') };
      const child = await new InstanceEngine({ ...place, env, reaper, program }).launch();
      const value = cpuMs(child.pid);
      await child.stop();
      return { value };
    },
  });
  try {
    const steps = [step('the service'), step('bare Nest + Fastify', BARE_SERVICE_PROGRAM)];
    const points = await takeTurns(steps, turns);
    return {
      ...{ name: 'start', notes: ['Less is better.'] },
      tables: [
        { title: 'Start of an instance', unit: 'CPU ms', relativeTo: ['bare Nest + Fastify'], points },
      ],
    };
  } finally {
    await reaper.close();
  }
}

/** User and system time of a process so far. */
function cpuMs(pid: number): number {
  const tickMs = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
