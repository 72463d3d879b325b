import { type Lease, LockLost } from '../../../src/locks/index.js';
import { type ClientLog } from '../client/log.js';
import { HeldByCaller } from '../client/held.js';
import { reasonOf } from '../client/reason.js';
import { PROBE } from '../history.js';
import { freeWithinMs } from '../judge/bounds.js';
import { type FuzzKind } from '../kinds/kind.js';
import { type FuzzPlaces } from '../kinds/places.js';
import { type Caller, type Key, type Plan } from '../plan/plan.js';

const TRIES = 5;
const PATIENT = { commandTimeoutMs: 5000, retries: 5, offlineQueue: true };

/** A fresh client, without a proxy, acquires every key that was used: is it free when all callers have gone? */
export async function probe(kind: FuzzKind, plan: Plan, places: FuzzPlaces, log: ClientLog): Promise<void> {
  const keys = new Set(plan.callers.flatMap((caller) => caller.keys));
  keys.delete('broken');
  if (keys.size === 0) return;
  const client = await kind.open(places, { ...plan.settings, ...PATIENT });
  const one = async (key: Key) => {
    const call = `${PROBE}.${key}`;
    const waitMs = freeWithinMs(plan);
    const caller: Caller = {
      client: 0,
      keys: [key],
      role: 'writer',
      startMs: 0,
      rounds: 1,
      waitMs,
      holdMs: 0,
      via: 'acquire',
      end: 'release',
      releaseTwice: false,
      readsSignal: true,
    };
    log.call(call, { type: 'acquire', keys: [key], role: 'writer', waitMs });
    try {
      const lease = await untilNotLost(() => client.lock('writer').acquire(client.name(key), { waitMs }));
      await new HeldByCaller(log, call, lease, caller, (name) => client.name(name)).release();
    } catch (error) {
      log.call(call, { type: 'refused', reason: reasonOf(error), message: String(error) });
    }
  };
  await Promise.all([...keys].map(one));
  await client.close();
}

/** A machine that is busy for longer than a lease says nothing about whether the key is free. */
async function untilNotLost(acquire: () => Promise<Lease>): Promise<Lease> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await acquire();
    } catch (error) {
      if (!(error instanceof LockLost) || tries === TRIES) throw error;
    }
  }
}
