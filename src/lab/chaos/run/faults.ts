import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultRecord } from '../evidence.js';
import { killUntilBack } from '../../faults/kill.js';
import { freeze } from '../../processes/freeze.js';
import { type PrivateSystem } from '../../private-system.js';
import { type Supervised } from '../../processes/supervisor.js';
import { type FaultStep } from '../plan/plan.js';

/** Injects the faults one after the other. Each is seen to have happened, and its victim is back before the next. */
export async function injectFaults(
  steps: readonly FaultStep[],
  system: PrivateSystem,
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

function victimOf({ victim, which }: FaultStep, { servers, shop }: PrivateSystem): Supervised {
  if (victim === 'mariadb') return servers.mariadb;
  if (victim === 'redis') return servers.redis;
  const instance = shop.instances[which % shop.instances.length];
  if (!instance) throw new Error('there are no instances');
  return instance;
}
