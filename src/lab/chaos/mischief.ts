import { setTimeout as sleep } from 'node:timers/promises';
import { killUntilBack } from '../faults/kill.js';
import { freeze } from '../faults/pause.js';
import { type Supervised } from '../processes/supervisor.js';

const SHORTEST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 3000;
const LONGEST_PEACE_MS = 3000;

export interface Deed {
  readonly atMs: number;
  readonly kind: 'pause' | 'kill';
  readonly what: string;
}

/**
 * Pauses and kills, one after the other, what `random` chooses, until the time is over or `stop` is aborted. Each deed
 * is proven before it counts, and its victim is back before the next one.
 */
export async function mischief(
  victims: readonly Supervised[],
  random: () => number,
  { forMs, stop }: { readonly forMs: number; readonly stop: AbortSignal },
  told: (deed: Deed) => void,
): Promise<void> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  const tell = (kind: Deed['kind'], what: string) => {
    told({ atMs: elapsed(), kind, what });
  };
  for (;;) {
    const peace = Math.min(random() * LONGEST_PEACE_MS, Math.max(0, forMs - elapsed()));
    await sleep(peace, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted || elapsed() >= forMs) return;
    const victim = victims[Math.floor(random() * victims.length)];
    if (!victim) return;
    if (random() < 0.5) {
      const ms = Math.round(SHORTEST_PAUSE_MS + random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
      await freeze(victim);
      await sleep(ms);
      victim.signal('SIGCONT');
      tell('pause', `${victim.name} stood still for ${ms} ms`);
    } else {
      await killUntilBack(victim);
      tell('kill', `${victim.name} was killed, and is back`);
    }
  }
}
