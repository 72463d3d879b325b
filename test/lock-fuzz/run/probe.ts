import { setTimeout as sleep } from 'node:timers/promises';
import { type Lease, LockLost, LockTimeout, NoSession } from '../../../src/locks/index.js';
import { type ClientLog } from '../client/log.js';
import { HeldByCaller } from '../client/held.js';
import { reasonOf } from '../client/reason.js';
import { PROBE } from '../history.js';
import { freeWithinMs } from '../judge/bounds.js';
import { type FuzzKind } from '../kinds/kind.js';
import { type FuzzPlaces } from '../kinds/places.js';
import { type Caller, type Key, type Plan } from '../plan/plan.js';
import { type Inspector } from './inspector.js';
import { Stalls } from './stalls.js';

const TRIES = 5;
/** Until another session is open. */
const SESSION_PAUSE_MS = 1000;
const PATIENT = { commandTimeoutMs: 5000, retries: 5, offlineQueue: true };

/** A fresh client, without a proxy, acquires every key that was used: is it free when all callers have gone? */
export async function probe(
  kind: FuzzKind,
  plan: Plan,
  places: FuzzPlaces,
  log: ClientLog,
  inspector: Inspector,
): Promise<void> {
  const keys = new Set(plan.callers.flatMap((caller) => caller.keys));
  keys.delete('broken');
  if (keys.size === 0) return;
  const client = await kind.open(places, { ...plan.settings, ...PATIENT });
  const stalls = new Stalls(() => inspector.ping(kind));
  const one = async (key: Key) => {
    const call = `${PROBE}.${key}`;
    const waitMs = freeWithinMs(plan, kind);
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
      const lease = await unlessStalled(stalls, waitMs, (ms) =>
        client.lock('writer').acquire(client.name(key), { waitMs: ms }),
      );
      await new HeldByCaller(log, call, lease, caller, (name) => client.name(name)).release();
    } catch (error) {
      log.call(call, { type: 'refused', reason: reasonOf(error), message: String(error) });
    }
  };
  await Promise.all([...keys].map(one));
  stalls.stop();
  await client.close();
}

/**
 * Waits for `waitMs` in which nothing stalls: the time that the heartbeat found lost is waited for once more. A grant that
 * was lost on its way to the caller says nothing about whether the key is free, nor does a session that ended on a busy machine.
 */
async function unlessStalled(
  stalls: Stalls,
  waitMs: number,
  acquire: (waitMs: number) => Promise<Lease>,
): Promise<Lease> {
  let wait = waitMs;
  for (let tries = 1; ; tries += 1) {
    const before = stalls.ms;
    try {
      return await acquire(wait);
    } catch (error) {
      const lostMs = Math.min(waitMs, stalls.ms - before);
      const sessionLost = error instanceof LockLost || error instanceof NoSession;
      if (tries === TRIES || !(sessionLost || lostMs > 0)) throw error;
      if (error instanceof NoSession) await sleep(SESSION_PAUSE_MS);
      if (error instanceof LockTimeout) wait = lostMs;
    }
  }
}
