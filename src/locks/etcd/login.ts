import { type Etcd3 } from 'etcd3';

/** What the package asks before every call: the metadata to send with it. */
interface Authenticator {
  getMetadata(): Promise<{ set(name: string, value: string): void }>;
  invalidateMetadata(): void;
}

/**
 * Makes `client` send a token of etcd with every call. The package's own login opens a gRPC channel per attempt and never
 * closes it, and such channels wait for up to two minutes before they connect again; `authenticate` has a client with the
 * same short deadlines as all others. etcd drops its tokens when it restarts; the package then calls `invalidateMetadata`
 * and repeats the call.
 */
export function logIn(client: Etcd3, authenticate: () => Promise<string>): void {
  const pool = poolOf(client);
  const plain = pool.authenticator;
  let asked: Promise<string> | undefined;
  const token = () =>
    (asked ??= authenticate().catch((error: unknown) => {
      asked = undefined;
      throw error;
    }));
  pool.authenticator = {
    async getMetadata() {
      const metadata = await plain.getMetadata();
      metadata.set('token', await token());
      return metadata;
    },
    invalidateMetadata() {
      asked = undefined;
    },
  };
}

function poolOf(client: Etcd3): { authenticator: Authenticator } {
  const pool: unknown = Reflect.get(client, 'pool');
  if (pool instanceof Object && 'authenticator' in pool) return pool as { authenticator: Authenticator };
  throw new Error('This version of the package etcd3 cannot be made to log in.');
}
