import { until } from '../until.js';
import { stateOf } from './proc.js';

/** A process of the lab that can be stopped by a signal. */
export interface Stoppable {
  readonly name: string;
  readonly pid: number | undefined;
  signal(signal: NodeJS.Signals): void;
}

/** Sends SIGSTOP and waits until the kernel has stopped the process. */
export async function freeze(target: Stoppable): Promise<void> {
  target.signal('SIGSTOP');
  await stopped(target);
}

/** Resolves when the process is in state T. */
export async function stopped({ name, pid }: Stoppable): Promise<void> {
  await until(`${name} is stopped`, () => Promise.resolve(stateOf(pid ?? 0) === 'T'));
}
