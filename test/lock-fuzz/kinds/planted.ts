import { type FuzzKind } from './kind.js';
import { type Defect, DEFECTS, PlantedLock } from './planted-lock.js';
import { redisKind } from './redis.js';

/** A lock with one defect, to see that the fuzzer finds it. */
export function plantedKind(defect: Defect): FuzzKind {
  return redisKind(`planted: ${defect}`, (client, { prefix, watchdogMs }) => {
    const lock = new PlantedLock(client, { prefix, watchdogMs, defect });
    return { lock: () => lock, close: () => undefined };
  });
}

export const PLANTED_KINDS: readonly FuzzKind[] = DEFECTS.map(plantedKind);
