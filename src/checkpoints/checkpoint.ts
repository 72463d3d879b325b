import { type Socket } from 'node:net';

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

/** `client`: the answer to the request, which is held like a command. */
export type ObservedServer = 'mysql' | 'redis' | 'etcd' | 'zookeeper' | 'client';

/** A driver's connection to a server. */
export interface DriverConnection {
  readonly stream: Socket;
}

/** What a command carries. */
export interface CommandDetails {
  /** The parameters of an SQL statement; the text of a Redis command contains its own. */
  readonly values?: readonly unknown[];
  /** The keys of a Redis command, or the queue of a lock in etcd or ZooKeeper. */
  readonly keys?: readonly string[];
  /** The port of the server, where there are several of one kind. */
  readonly port?: number;
  /** The connection, as a number: its commands are executed in the order in which they were sent. */
  readonly connection?: number | (() => Promise<number>);
  /** The connection itself, when it is to be broken. */
  readonly over?: () => Promise<DriverConnection | undefined>;
}

/** Once the lab has armed the checkpoints, it is called at every checkpoint and command. */
export interface Observer {
  arrive(name: CheckpointName): Promise<void>;
  query<T>(
    server: ObservedServer,
    text: string,
    send: () => Promise<T>,
    details?: CommandDetails,
  ): Promise<T>;
  /** Whether the current request is held before every command. */
  holdsCommands(): boolean;
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
export function observed<T>(
  server: ObservedServer,
  text: string,
  send: () => Promise<T>,
  details?: CommandDetails,
): Promise<T> {
  return observer ? observer.query(server, text, send, details) : send();
}

/** Whether the explorer decides when this request sends each command. */
export function holdsCommands(): boolean {
  return observer?.holdsCommands() ?? false;
}

/** Runs work that one request starts for all requests, such as a rebuild. It does not belong to the steps of that request. */
export function unobserved<T>(work: () => T): T {
  return observer ? observer.unobserved(work) : work();
}
