import { type FuzzClient } from '../client/fuzz-client.js';
import { type Promises } from '../history.js';
import { type Settings } from '../plan/plan.js';
import { type FuzzPlaces } from './places.js';

/** Which server a kind of lock talks to, and so which connections can be disturbed. */
export type EngineName = 'redis' | 'masters' | 'mysql' | 'etcd' | 'zookeeper';

/** What plans for a kind of lock may contain. */
export interface Features {
  /** Lengths of the lease that the watchdog renews, or that is the default. */
  readonly watchdogMs: readonly number[];
  /** Where the lock limits its calls itself, and the client has no say. */
  readonly commandTimeoutMs?: number;
  /** Does it take a lease of the caller's choice? */
  readonly leases: boolean;
  readonly reentrant?: boolean;
  readonly readers?: boolean;
  readonly multi?: boolean;
  /** Can the engine be made to fail at one key? */
  readonly brokenKey?: boolean;
}

export interface FuzzKind extends Promises {
  readonly name: string;
  readonly engine: EngineName;
  readonly features: Features;
  /** Resolves when it is connected. */
  readonly open: (places: FuzzPlaces, settings: Settings) => Promise<FuzzClient>;
}
