import { type Buyer } from '../test-bed/buyer.js';
import { type Instance } from '../test-bed/instance.js';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { stopped } from '../processes/freeze.js';
import { until } from '../until.js';

/** When the instance of a buyer was stopped. */
const stoppedAt = new WeakMap<Buyer, number>();

/** Stops the buyer's instance with SIGSTOP at the checkpoint where the request is held. The whole process stops. */
export async function pause(run: ExperimentRun, buyer: Buyer): Promise<void> {
  const { name, at } = buyer;
  buyer.act({ do: 'stop' });
  await stopped(at);
  stoppedAt.set(buyer, performance.now());
  run.fault(at.name, `SIGSTOP: ${at.name} is stopped`, `${name} paused`);
  proveStopped(run, at, 'is stopped');
}

/** Waits until a lease of that length, acquired before the pause, has expired. */
export async function outlast(run: ExperimentRun, buyer: Buyer, leaseMs: number): Promise<void> {
  const pausedMs = () => performance.now() - (stoppedAt.get(buyer) ?? Infinity);
  await until(`the lease of ${buyer.name} expires`, () => Promise.resolve(pausedMs() > leaseMs));
  run.timePasses(buyer.name, leaseMs);
  run.proveFault(
    'pause',
    `${buyer.name} was stopped for longer than its lease`,
    `${Math.round(pausedMs())} ms of ${leaseMs} ms`,
    pausedMs() > leaseMs,
  );
}

/** Resumes the instance at the next line. It does not know that time has passed. */
export function resume(run: ExperimentRun, { name, at }: Buyer): void {
  proveStopped(run, at, 'was stopped until now');
  run.fault(at.name, `SIGCONT: ${at.name} resumes`, `${name} resumed`);
  at.signal('SIGCONT');
}

function proveStopped(run: ExperimentRun, { name, state }: Instance, how: string): void {
  run.proveFault('pause', `${name} ${how}`, `state ${state ?? 'gone'} in /proc`, state === 'T');
}
