import { type Etcd3 } from 'etcd3';
import { type ChannelCredentials } from './connections.js';

/** The package calls it before every call, for the metadata to send with it. */
export interface Authenticator {
  getMetadata(): Promise<{ set(name: string, value: string): void }>;
  invalidateMetadata(): void;
}

/** Parts of the package's client that it has no public name for. */
export interface ClientParts {
  authenticator: Authenticator;
  readonly hosts: readonly { readonly channelCredentials: ChannelCredentials }[];
}

export function partsOf(client: Etcd3): ClientParts {
  const pool: unknown = Reflect.get(client, 'pool');
  if (pool instanceof Object && 'authenticator' in pool && 'hosts' in pool) return pool as ClientParts;
  throw new Error('This version of the package etcd3 is not supported: its client has no pool of hosts.');
}
