import { setTimeout as sleep } from 'node:timers/promises';
import { stateOf } from '../processes/proc.js';
import { type Supervised } from '../processes/supervisor.js';
import { until } from '../until.js';

export interface Victim {
  readonly name: string;
  readonly process: Supervised;
}

const SHORTEST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 3000;
const LONGEST_PEACE_MS = 3000;
const BACK_WITHIN_MS = 60_000;

export interface Deed {
  readonly atMs: number;
  readonly what: string;
}

/**
 * Pauses and kills, one after the other, what `random` chooses, until `end` is aborted. Each deed is proven before it
 * counts, and its victim is back before the next one.
 */
export async function mischief(
  victims: readonly Victim[],
  random: () => number,
  end: AbortSignal,
  told: (deed: Deed) => void,
): Promise<void> {
  const started = performance.now();
  const tell = (what: string) => {
    told({ atMs: Math.round(performance.now() - started), what });
  };
  for (;;) {
    await sleep(random() * LONGEST_PEACE_MS, undefined, { signal: end }).catch(() => undefined);
    if (end.aborted) return;
    const victim = victims[Math.floor(random() * victims.length)];
    if (!victim) return;
    if (random() < 0.5) {
      const ms = Math.round(SHORTEST_PAUSE_MS + random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
      await pause(victim, ms);
      tell(`${victim.name} stood still for ${ms} ms`);
    } else {
      await kill(victim);
      tell(`${victim.name} was killed, and is back`);
    }
  }
}

async function pause({ name, process: victim }: Victim, ms: number): Promise<void> {
  victim.signal('SIGSTOP');
  await until(`${name} stands still`, () => Promise.resolve(stateOf(victim.pid ?? 0) === 'T'));
  await sleep(ms);
  victim.signal('SIGCONT');
}

async function kill({ name, process: victim }: Victim): Promise<void> {
  const before = victim.pid;
  victim.signal('SIGKILL');
  await until(
    `${name} is back`,
    () => Promise.resolve(victim.pid !== undefined && victim.pid !== before),
    BACK_WITHIN_MS,
  );
}
