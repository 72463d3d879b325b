import { type Socket } from 'node:net';

/** A call of a lock to its coordination service, for tracing. */
export interface ServiceCall {
  readonly service: 'etcd' | 'zookeeper';
  /** What it asks for, in the words of the service. */
  readonly text: string;
  /** The queue that it reads or changes. */
  readonly queue: string;
  /** The connection to the server, where the client has one of its own. */
  readonly socket?: () => Socket | undefined;
}

/** Called instead of every call that a lock sends for a caller. It must return what `send` returns. */
export type CallObserver = <T>(call: ServiceCall, send: () => Promise<T>) => Promise<T>;

interface Open {
  caughtUp(): Promise<void>;
}

let observer: CallObserver | undefined;
const open = new Set<Open>();

/**
 * Observes the calls of all etcd and ZooKeeper locks of this process. The renewals of their sessions belong to no caller and
 * are not observed.
 */
export function observeCalls(by: CallObserver): void {
  observer = by;
}

/** Resolves when every lock has handled what its service has sent so far. */
export async function caughtUp(): Promise<void> {
  await Promise.all([...open].map((lock) => lock.caughtUp().catch(() => undefined)));
}

export function observedCall<T>(call: ServiceCall, send: () => Promise<T>): Promise<T> {
  return observer ? observer(call, send) : send();
}

export function isOpen(lock: Open): void {
  open.add(lock);
}

export function isClosed(lock: Open): void {
  open.delete(lock);
}
