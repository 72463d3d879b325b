import { type Buyer } from '../test-bed/buyer.js';
import { type Instance } from '../test-bed/instance.js';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { stopped } from '../processes/freeze.js';
import { until } from '../until.js';

/** Since when a buyer's instance stands still. */
const stoppedAt = new WeakMap<Buyer, number>();

/** Its instance stops itself on the very line where the buyer is held. Everything in that process stands still. */
export async function pause(run: ExperimentRun, buyer: Buyer): Promise<void> {
  const { name, at } = buyer;
  buyer.act({ do: 'stop' });
  await stopped(at);
  stoppedAt.set(buyer, performance.now());
  run.fault(at.name, `SIGSTOP: ${at.name} stands still`, `${name} paused`);
  proveStopped(run, at, 'is stopped');
}

/** The pause lasts until a lease of that length, taken before it, has ended. */
export async function outlast(run: ExperimentRun, buyer: Buyer, leaseMs: number): Promise<void> {
  const pausedMs = () => performance.now() - (stoppedAt.get(buyer) ?? Infinity);
  await until(`the lease of ${buyer.name} ends`, () => Promise.resolve(pausedMs() > leaseMs));
  run.proveFault(
    'pause',
    `${buyer.name} has stood still for longer than a lease`,
    `${Math.round(pausedMs())} ms of ${leaseMs} ms`,
    pausedMs() > leaseMs,
  );
}

/** The instance goes on with the next line, knowing nothing of the time that has passed. */
export function resume(run: ExperimentRun, { name, at }: Buyer): void {
  proveStopped(run, at, 'was stopped until now');
  run.fault(at.name, `SIGCONT: ${at.name} goes on`, `${name} resumed`);
  at.signal('SIGCONT');
}

function proveStopped(run: ExperimentRun, { name, state }: Instance, how: string): void {
  run.proveFault('pause', `${name} ${how}`, `state ${state ?? 'gone'} in /proc`, state === 'T');
}
