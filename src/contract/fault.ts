/** The faults that a strategy can break under, by the names that `breaksUnder` uses, each in a sentence. */
export const FAULTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    concurrency: 'Two requests at the same moment; nothing has to go wrong.',
    'several-instances': 'A second instance sells the same goods.',
    pause:
      'The holder stops in the middle (garbage collection, a suspended machine, a blocked event loop), for longer than its lease; another one sells; then it wakes up and writes.',
    'pause-both':
      'Two holders in a row stop after reading, each for longer than its lease; then both write, the first one first.',
    crash: 'The instance is killed in the middle.',
    failover: 'The Redis master dies, and the replica that takes over has not got its last writes.',
    'empty-restart': 'A Redis comes back without what it held.',
    'clock-jump': 'The clock of a Redis jumps, and leases end before their time.',
    eviction: 'A Redis that is short of memory throws the lock’s key away.',
    'lost-reply':
      'The sale is made and its answer is lost; the buyer, who gave no Idempotency-Key, asks again and buys twice.',
  }),
);
