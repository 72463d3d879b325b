import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cpus, hostname, totalmem } from 'node:os';
import { describeMachine } from '../compare/machine.js';
import { type ServerAddresses } from '../servers.js';
import { type BenchMachine } from './report.js';

/** The machine, with what tells it from others: numbers of two machines must not be compared. */
export async function describeBenchMachine(
  servers: ServerAddresses,
  loadAverageBefore: number,
): Promise<BenchMachine> {
  const cpu = cpus()[0]?.model.trim() ?? 'unknown';
  return { ...(await describeMachine(servers, loadAverageBefore)), cpu, id: machineId(cpu) };
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
