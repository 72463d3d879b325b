import { type Etcd3 } from 'etcd3';
import { partsOf } from './client-parts.js';

/**
 * Makes `client` send a token of etcd with every call. The package's own login opens a gRPC channel per attempt and never
 * closes it, and such channels wait for up to two minutes before they connect again; `authenticate` has a client with the
 * same short deadlines as all others. etcd drops its tokens when it restarts; the package then calls `invalidateMetadata`
 * and repeats the call.
 */
export function logIn(client: Etcd3, authenticate: () => Promise<string>): void {
  const parts = partsOf(client);
  const plain = parts.authenticator;
  let asked: Promise<string> | undefined;
  const token = () =>
    (asked ??= authenticate().catch((error: unknown) => {
      asked = undefined;
      throw error;
    }));
  parts.authenticator = {
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
