import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultRecord } from '../evidence.js';
import { killUntilBack } from '../../faults/kill.js';
import { freeze } from '../../processes/freeze.js';
import { type Supervised } from '../../processes/supervisor.js';
import { type FaultStep } from '../plan/plan.js';
import { type ChaosSystem } from './system.js';

/** Injects the faults one after the other. Each is verified, and its victim runs again before the next one. */
export async function injectFaults(
  steps: readonly FaultStep[],
  system: ChaosSystem,
  clock: () => number,
  stop: AbortSignal,
): Promise<FaultRecord[]> {
  const records: FaultRecord[] = [];
  for (const step of steps) {
    await sleep(step.afterMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) break;
    const victim = victimOf(step, system);
    const start = clock();
    const what = await inject(step, victim);
    records.push({ start, end: clock(), what });
  }
  return records;
}

async function inject({ kind, ms }: FaultStep, victim: Supervised): Promise<string> {
  if (kind === 'kill') {
    await killUntilBack(victim);
    return `${victim.name} was killed and restarted`;
  }
  await freeze(victim);
  await sleep(ms);
  victim.signal('SIGCONT');
  return `${victim.name} was paused for ${ms} ms`;
}

function victimOf({ victim, which }: FaultStep, system: ChaosSystem): Supervised {
  const { instances } = system.shop;
  const found = victim === 'instance' ? instances[which % instances.length] : system[victim];
  if (!found) throw new Error(`this system has no ${victim} for a fault`);
  return found;
}
