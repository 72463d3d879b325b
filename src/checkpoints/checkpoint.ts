/** The places where the lab can hold a request, in the order in which a deduction passes them. */
export const CHECKPOINTS = [
  'beforeLock',
  'afterLock',
  'afterBegin',
  'afterRead',
  'afterReservation',
  'beforeWrite',
  'afterWrite',
  'beforeCommit',
  'afterCommit',
  'beforeUnlock',
  'beforeDelete',
] as const;
export type CheckpointName = (typeof CHECKPOINTS)[number];

export type ObservedServer = 'mysql' | 'redis';

/** Once the lab has armed the checkpoints, it is called at every checkpoint and command. */
export interface Observer {
  arrive(name: CheckpointName): Promise<void>;
  query<T>(server: ObservedServer, text: string, send: () => Promise<T>): Promise<T>;
  unobserved<T>(work: () => T): T;
}

let observer: Observer | undefined;

/** Called once, at the start of an instance of an experiment; see `arm.ts`. */
export function arm(by: Observer): void {
  observer = by;
}

/** A place where an experiment may hold the request, or pause or kill the instance. Costs nothing unless armed. */
export function checkpoint(name: CheckpointName): Promise<void> | undefined {
  return observer?.arrive(name);
}

/** Sends a command to a server and reports it to the experiment, if one is connected. */
export function observed<T>(server: ObservedServer, text: string, send: () => Promise<T>): Promise<T> {
  return observer ? observer.query(server, text, send) : send();
}

/** Runs work that one request starts for all requests, such as a rebuild. It does not belong to the steps of that request. */
export function unobserved<T>(work: () => T): T {
  return observer ? observer.unobserved(work) : work();
}
