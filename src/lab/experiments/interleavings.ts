import { type Experiment } from './experiment.js';

/** The interleavings that are to be seen, by the names that experiments give in their `claims`. */
export const INTERLEAVINGS: ReadonlyMap<string, string> = new Map([
  ['P1', 'a mutex, and two instances'],
  ['P2', 'a late DEL frees the lock of the next holder'],
  ['P3', 'a holder sleeps through its lease'],
  ['P4', 'unlocked before COMMIT'],
  ['P5', 'the right lock, and an early snapshot'],
  ['P6', 'two tokens, both larger than the last'],
  ['P7', 'a token that a failover gives out twice'],
  ['P8', 'a master of the Redlock comes back empty'],
  ['P9', 'the clock of a master of the Redlock jumps'],
  ['P10', 'a crash between the gate in Redis and MySQL'],
  ['P11', 'a failover of the gate in Redis'],
  ['P12', 'WATCH on a shared connection'],
  ['P13', 'FOR UPDATE outside a transaction'],
  ['P14', 'the lock is evicted'],
  ['P15', 'the answer is lost, and the buyer asks again'],
  ['P16', 'a token minted after the lock was taken'],
  ['P17', 'the lock is freed before the waiter listens'],
  ['P18', 'a crash between SETNX and EXPIRE'],
  ['P19', 'the head of the fair queue dies'],
  ['P20', 'the stock changes, and changes back'],
  ['P21', 'a read from a replica that lags'],
]);

/** Which experiments show which interleaving: those that break first, then their twins. */
export function byInterleaving(
  experiments: readonly Experiment[],
): ReadonlyMap<string, readonly Experiment[]> {
  const twinsLast = [...experiments].sort((a, b) => Number('twinOf' in a) - Number('twinOf' in b));
  return new Map(
    [...INTERLEAVINGS.keys()].map((name) => [name, twinsLast.filter(({ claims }) => claims.includes(name))]),
  );
}
