import { setTimeout as sleep } from 'node:timers/promises';
import { type RequestState } from '../../checkpoints/checkpoint-protocol.js';
import { LabError } from '../errors.js';
import { type InstanceLink } from '../test-bed/checkpoint-server.js';
import { type SteppedBuyer } from './stepped-buyer.js';

/** A pause between two attempts is at most this long. A longer timer ends a wait: it fires only when time passes. */
const LONGEST_PAUSE_MS = 400;
const LONGEST_MS = 30_000;
const POLL_MS = 1;

/** What a buyer does when nothing moves any more. */
export type Rest =
  /** It waits to send a command. */
  | 'held'
  /** Its command waits for a lock in the server. */
  | 'blocked'
  /** It has no command in flight: it waits for a message, a timer, or a lock inside its instance. */
  | 'idle'
  | 'ended';

/**
 * Waits until nothing moves by itself: every command was answered, or the server says that it waits. A count is enough to
 * know which: no other clients use the servers, so when MySQL reports as many waits as there are commands in
 * flight, each of them waits.
 */
export async function settle(
  buyers: readonly SteppedBuyer[],
  mysqlWaits: () => Promise<number>,
  pauses: (timerMs: number) => boolean = (timerMs) => timerMs <= LONGEST_PAUSE_MS,
): Promise<ReadonlyMap<SteppedBuyer, Rest>> {
  const giveUpAt = performance.now() + LONGEST_MS;
  let idleBefore = '';
  for (;;) {
    if (performance.now() > giveUpAt) throw new LabError(stuck(buyers));
    const states = await statesOf(buyers);
    const ended = buyers.filter((buyer) => buyer.result === undefined && states.get(buyer)?.ended);
    await Promise.all(ended.map((buyer) => buyer.ended()));
    const living = buyers.filter(({ result }) => result === undefined);
    const unanswered = living.reduce((sum, buyer) => sum + (states.get(buyer)?.inFlight ?? 0), 0);
    // A command that is passed through, such as housekeeping, is neither held here nor answered yet.
    const passing = living.some((buyer) => (states.get(buyer)?.held ?? 0) > buyer.pending.length);
    if (passing || (unanswered > 0 && (await isMoving(living, unanswered, mysqlWaits)))) {
      await sleep(POLL_MS);
      continue;
    }
    const rests = new Map(buyers.map((buyer) => [buyer, restOf(buyer, states.get(buyer))]));
    const idle = living.filter((buyer) => rests.get(buyer) === 'idle');
    const paused = idle.filter((buyer) => pauses(states.get(buyer)?.timerMs ?? Infinity));
    for (const buyer of paused) buyer.link?.elapse(buyer.id);
    // Seen twice, because a request is also idle while it opens a connection.
    const idleNow = idle.map(({ id }) => id).join();
    if (paused.length === 0 && (idle.length === 0 || idleNow === idleBefore)) return rests;
    idleBefore = idleNow;
  }
}

async function statesOf(buyers: readonly SteppedBuyer[]): Promise<Map<SteppedBuyer, RequestState>> {
  const links = new Set(buyers.flatMap(({ link, result }) => (link && result === undefined ? link : [])));
  const asked = await Promise.all([...links].map((link: InstanceLink) => link.settle()));
  const byId = new Map(asked.flat().map((state) => [state.buyer, state]));
  return new Map(
    buyers.flatMap((buyer) => {
      const state = byId.get(buyer.id);
      return state ? [[buyer, state] as const] : [];
    }),
  );
}

/** Redis always answers at once; MySQL answers, or reports that the command waits. */
async function isMoving(
  living: readonly SteppedBuyer[],
  unanswered: number,
  mysqlWaits: () => Promise<number>,
): Promise<boolean> {
  const known = living.flatMap((buyer) => buyer.unanswered);
  if (known.some(({ server }) => server !== 'mysql') || known.length < unanswered) return true;
  return (await mysqlWaits()) < unanswered;
}

function restOf(buyer: SteppedBuyer, state: RequestState | undefined): Rest {
  if (buyer.result) return 'ended';
  if (buyer.pending.length > 0) return 'held';
  return (state?.inFlight ?? 0) > 0 ? 'blocked' : 'idle';
}

function stuck(buyers: readonly SteppedBuyer[]): string {
  const what = buyers.map(
    ({ name, unanswered }) =>
      `${name}: ${unanswered.map(({ text }) => text).join('; ') || 'nothing in flight'}`,
  );
  return `The buyers did not come to rest within ${LONGEST_MS / 1000} s (${what.join(', ')}). Run the command again; if it happens again, please report it.`;
}
