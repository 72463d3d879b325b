import { type Buyer } from '../experiments/buyer.js';
import { type Player } from '../experiments/player.js';
import { type Scene } from '../experiments/scene.js';
import { stateOf } from '../processes/proc.js';
import { until } from '../until.js';

/** Whoever has a process of the lab's. */
export interface Stoppable {
  readonly name: string;
  readonly pid: number | undefined;
  signal(signal: NodeJS.Signals): void;
}

/** Since when a buyer's instance stands still. */
const stoppedAt = new WeakMap<Buyer, number>();

/** Its instance stops itself on the very line where the buyer is held. Everything in that process stands still. */
export async function pause(scene: Scene, buyer: Buyer): Promise<void> {
  const { name, at } = buyer;
  buyer.obey({ do: 'stop' });
  await stopped(at);
  stoppedAt.set(buyer, performance.now());
  scene.fault(at.name, `SIGSTOP: ${at.name} stands still`, `${name} paused`);
  proveStopped(scene, at, 'is stopped');
}

/** The pause lasts until a lease of that length, taken before it, has ended. */
export async function outlast(scene: Scene, buyer: Buyer, leaseMs: number): Promise<void> {
  const pausedMs = () => performance.now() - (stoppedAt.get(buyer) ?? Infinity);
  await until(`the lease of ${buyer.name} ends`, () => Promise.resolve(pausedMs() > leaseMs));
  scene.proveFault(
    'pause',
    `${buyer.name} has stood still for longer than a lease`,
    `${Math.round(pausedMs())} ms of ${leaseMs} ms`,
    pausedMs() > leaseMs,
  );
}

/** The instance goes on with the next line, knowing nothing of the time that has passed. */
export function resume(scene: Scene, { name, at }: Buyer): void {
  proveStopped(scene, at, 'was stopped until now');
  scene.fault(at.name, `SIGCONT: ${at.name} goes on`, `${name} resumed`);
  at.signal('SIGCONT');
}

/** Stopped from outside, wherever it stands. */
export async function freeze(victim: Stoppable): Promise<void> {
  victim.signal('SIGSTOP');
  await stopped(victim);
}

async function stopped(victim: Stoppable): Promise<void> {
  await until(`${victim.name} stands still`, () => Promise.resolve(stateOf(victim.pid ?? 0) === 'T'));
}

function proveStopped(scene: Scene, { name, state }: Player, how: string): void {
  scene.proveFault('pause', `${name} ${how}`, `state ${state ?? 'gone'} in /proc`, state === 'T');
}
