import { cpus } from 'node:os';
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { median, rounded } from './statistics.js';

/** How busy the load generator and the machine were during a measurement: shares between 0 and 1. */
export interface Utilization {
  /** Of the time, the share in which the generator's event loop was working. */
  readonly generatorLoop: number;
  /** Of one core, the share that the generator's process used; its threads can use more than one core. */
  readonly generatorCpu: number;
  /** Of all cores, the share that was in use by any process. */
  readonly machineCpu: number;
}

export interface Limit extends Utilization {
  /** `generator`: more load could not be made. `cpu`: no core was free. `waiting`: round trips, disk, locks. */
  readonly by: 'generator' | 'cpu' | 'waiting';
}

const GENERATOR_IS_FULL = 0.95;
const MACHINE_IS_FULL = 0.9;

/** Watches this process and the machine from now on, until the returned function is called. */
export function watchUtilization(): () => Utilization {
  const before = takeReading();
  return () => {
    const now = takeReading();
    const wallMs = now.at - before.at;
    const cpuMs = (now.cpu.user + now.cpu.system - before.cpu.user - before.cpu.system) / 1000;
    const busy = now.machine.busy - before.machine.busy;
    const total = now.machine.total - before.machine.total;
    return {
      generatorLoop: rounded(performance.eventLoopUtilization(now.loop, before.loop).utilization),
      generatorCpu: rounded(wallMs <= 0 ? 0 : cpuMs / wallMs),
      machineCpu: rounded(total <= 0 ? 0 : busy / total),
    };
  };
}

/** The limit of a measurement with several rounds. */
export function limitOf(rounds: readonly Utilization[]): Limit | undefined {
  if (rounds.length === 0) return undefined;
  const of = (pick: (one: Utilization) => number) => rounded(median(rounds.map(pick)));
  const shares = {
    generatorLoop: of(({ generatorLoop }) => generatorLoop),
    generatorCpu: of(({ generatorCpu }) => generatorCpu),
    machineCpu: of(({ machineCpu }) => machineCpu),
  };
  return { by: limitedBy(shares), ...shares };
}

/** A generator whose loop is always busy cannot send more, whatever the servers could answer. */
export function limitedBy({ generatorLoop, machineCpu }: Utilization): Limit['by'] {
  if (generatorLoop >= GENERATOR_IS_FULL) return 'generator';
  return machineCpu >= MACHINE_IS_FULL ? 'cpu' : 'waiting';
}

interface Reading {
  readonly at: number;
  readonly loop: EventLoopUtilization;
  readonly cpu: NodeJS.CpuUsage;
  readonly machine: { readonly busy: number; readonly total: number };
}

function takeReading(): Reading {
  const times = cpus().map((core) => core.times);
  const total = times.reduce(
    (sum, { user, nice, sys, irq, idle }) => sum + user + nice + sys + irq + idle,
    0,
  );
  const idle = times.reduce((sum, core) => sum + core.idle, 0);
  return {
    at: performance.now(),
    loop: performance.eventLoopUtilization(),
    cpu: process.cpuUsage(),
    machine: { busy: total - idle, total },
  };
}
