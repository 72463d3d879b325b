import { type LockPlaces } from '../../support/lock-kinds.js';

export type Topology = 'single' | 'sentinel' | 'cluster';

/** Where a client finds its servers; the addresses of a plan's clients are those of their proxies. */
export interface FuzzPlaces extends LockPlaces {
  readonly topology: Topology;
  /** Sentinel and Cluster tell a client the real addresses: these stand for them, by host and port. */
  readonly nat: Readonly<Record<string, { readonly host: string; readonly port: number }>>;
}
