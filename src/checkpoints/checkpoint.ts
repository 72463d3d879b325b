/** The places where the lab can stop a buyer, in the order in which a deduction comes past them. */
export const CHECKPOINTS = [
  'beforeLock',
  'afterLock',
  'afterBegin',
  'afterRead',
  'afterGate',
  'beforeWrite',
  'afterWrite',
  'beforeCommit',
  'afterCommit',
  'beforeUnlock',
  'beforeDelete',
] as const;
export type CheckpointName = (typeof CHECKPOINTS)[number];

export type Server = 'mysql' | 'redis';

/** Who is told, once the lab has armed the checkpoints. */
export interface Observer {
  arrive(name: CheckpointName): Promise<void>;
  query<T>(server: Server, text: string, send: () => Promise<T>): Promise<T>;
}

let observer: Observer | undefined;

/** Called once at start, by an instance that was started for experiments; see `director-link.ts`. */
export function arm(by: Observer): void {
  observer = by;
}

/** A place where an experiment may pause, kill or hold the buyer who comes past. Free unless armed. */
export function checkpoint(name: CheckpointName): Promise<void> | undefined {
  return observer?.arrive(name);
}

/** A question to a server, which an experiment can follow. */
export function observed<T>(server: Server, text: string, send: () => Promise<T>): Promise<T> {
  return observer ? observer.query(server, text, send) : send();
}
