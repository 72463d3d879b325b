import { ExclusiveLock } from '../../src/locks/exclusive/exclusive-lock.js';
import { ReentrantLock } from '../../src/locks/exclusive/reentrant-lock.js';
import { Caller, type CallerPlan } from './caller.js';
import { type VirtualTime, quiescent } from './virtual-time.js';
import { type Budget, type Choice, World } from './world.js';

export interface Scenario {
  readonly name: string;
  readonly kind: 'plain' | 'reentrant';
  readonly callers: readonly CallerPlan[];
  readonly faults?: Budget;
  /** How long a stall lasts; as long as the longest lease where it is absent. */
  readonly stallMs?: number;
  /** Keys on which every command fails. */
  readonly brokenKeys?: readonly string[];
}

export const WATCHDOG_MS = 300;

export interface Outcome {
  readonly schedule: readonly string[];
  readonly violations: readonly string[];
}

/** Chooses what happens next; undefined ends the run early, because it would only repeat another one. */
export type Pick = (choices: readonly Choice[]) => Choice | undefined;

/** Plays a scenario once. */
export async function run(scenario: Scenario, time: VirtualTime, pick: Pick): Promise<Outcome | undefined> {
  const longestLease = Math.max(WATCHDOG_MS, ...scenario.callers.map(({ leaseMs = 0 }) => leaseMs));
  const world = new World(time, scenario.stallMs ?? longestLease, scenario.faults ?? {});
  const locks = new Map<string, ExclusiveLock>();
  for (const key of scenario.brokenKeys ?? []) world.server.breakKey(key);
  const lockOf = (client: string) => {
    const Kind = scenario.kind === 'plain' ? ExclusiveLock : ReentrantLock;
    const lock = locks.get(client) ?? new Kind(world.engine(client), WATCHDOG_MS);
    locks.set(client, lock);
    return lock;
  };
  let running = scenario.callers.length;
  for (const [index, plan] of scenario.callers.entries()) {
    const name = plan.name ?? String.fromCharCode(65 + index);
    void new Caller(world, name, lockOf(plan.client), plan).run().finally(() => (running -= 1));
  }
  await quiescent();
  const isOver = () => running === 0 || world.history.violations.length > 0;
  const finished = await play(world, pick, isOver);
  if (finished && world.history.violations.length === 0) await checkTheEnd(world, scenario, longestLease);
  for (const lock of locks.values()) lock.close();
  // Whatever is left expires, so that the next run begins with an empty list of deadlines.
  do await quiescent();
  while (time.fireNext());
  return finished ? world.history : undefined;
}

/** False when the run was cut short. */
async function play(world: World, pick: Pick, isOver: () => boolean): Promise<boolean> {
  const { history } = world;
  for (let steps = 0; !isOver(); steps += 1) {
    if (steps > MOST_STEPS) history.violated('The callers never come to an end.');
    const choice = pick(world.enabled());
    if (!choice) return false;
    await world.take(choice);
    history.check();
  }
  return true;
}

const MOST_STEPS = 200;

/** All callers have gone: the keys are free within one lease, and nothing is left of them. */
async function checkTheEnd(world: World, { callers }: Scenario, longestLease: number): Promise<void> {
  const { history, server, time } = world;
  await world.settle();
  const keys = [...new Set(callers.map(({ key }) => key))];
  const stillHeld = () => keys.filter((key) => server.owner(key) !== undefined);
  const forgotten = callers.some(({ forgets, nests }) => forgets || nests === 'and forgets the entry');
  if (!world.wasDisturbed && !forgotten && stillHeld().length > 0) {
    history.violated(`${stillHeld().join()} is still locked although every caller has released it.`);
  }
  // While time passes the server answers everything.
  const until = time.now + longestLease;
  while (time.now < until) {
    const fired = time.fireNext(until);
    await quiescent();
    await world.settle();
    if (!fired) break;
  }
  if (stillHeld().length > 0 && !forgotten)
    history.violated(`${stillHeld().join()} is locked and has no holder.`);
  for (let ticks = 0; time.pending > 0; ticks += 1) {
    if (ticks > 100) {
      history.violated('A timer is left that never ends.');
      return;
    }
    time.fireNext();
    await quiescent();
    await world.settle();
  }
  if (stillHeld().length > 0) history.violated(`${stillHeld().join()} is locked for ever.`);
  if (world.leakedListeners > 0) history.violated('A listener is left at the signal of a caller.');
}
