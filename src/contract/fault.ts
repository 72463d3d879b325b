/** The faults that a strategy can break under, by the names that `breaksUnder` uses, each in a sentence. */
export const FAULTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    concurrency: 'Two requests at the same time; no fault is needed.',
    'several-instances': 'A second instance sells the same goods.',
    pause:
      'The holder pauses for longer than its lease (garbage collection, a suspended machine, a blocked event loop); the next holder sells; then the first one resumes and writes.',
    'pause-both':
      'Two holders in a row pause after reading, each for longer than its lease; then both write, the first one first.',
    crash: 'The instance is killed between read and write.',
    failover: 'The Redis master dies, and the promoted replica does not have its last writes.',
    'empty-restart': 'A Redis restarts without its data.',
    'clock-jump': 'The clock of a Redis jumps forward, and leases expire early.',
    eviction: 'A Redis without free memory evicts the lock’s key.',
    'lost-reply':
      'The sale is made and its reply is lost; the client retries without an Idempotency-Key and buys twice.',
  }),
);
