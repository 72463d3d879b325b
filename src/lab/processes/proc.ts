import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process, with its start time: a later process can have the same id. */
export interface ProcessId {
  readonly pid: number;
  readonly startedAt: string;
}

/** The fields of /proc/<pid>/stat, beginning with the state; none for a zombie or when there is no such process. */
function statusOf(pid: number): readonly string[] {
  try {
    // The program's name may contain spaces and brackets: count from the last bracket.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields[0] === 'Z' ? [] : fields;
  } catch {
    return [];
  }
}

/** R runs, S sleeps, T is stopped …; undefined when there is no such process. */
export function stateOf(pid: number): string | undefined {
  return statusOf(pid)[0];
}

/** When the process started, in clock ticks since boot. */
function startOf(pid: number): string | undefined {
  return statusOf(pid)[19];
}

export function identify(pid: number): ProcessId | undefined {
  const startedAt = startOf(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isAlive({ pid, startedAt }: ProcessId): boolean {
  return startOf(pid) === startedAt;
}

/** Sends a signal to the process and to all processes that it started: each server has its own process group. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // gone already
  }
}

/** Ends processes: SIGTERM first, then SIGKILL. */
export async function endAll(processes: readonly ProcessId[], graceMs: number): Promise<void> {
  const alive = () => processes.filter(isAlive);
  // A stopped process does not handle SIGTERM.
  for (const { pid } of alive()) {
    signalGroup(pid, 'SIGTERM');
    signalGroup(pid, 'SIGCONT');
  }
  const giveUpAt = performance.now() + graceMs;
  while (alive().length > 0 && performance.now() < giveUpAt) await sleep(25);
  for (const { pid } of alive()) signalGroup(pid, 'SIGKILL');
  while (alive().length > 0) await sleep(25);
}
