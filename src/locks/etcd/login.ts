import { type Etcd3 } from 'etcd3';
import { partsOf } from './client-parts.js';

/**
 * Makes `client` send a token of etcd with every call. The package's own login opens a gRPC channel per attempt and never
 * closes it, and such channels wait for up to two minutes before they connect again. Here `open` creates a separate client
 * for each login, with the usual deadlines. It is closed after the login, or earlier when `client` is closed. etcd drops its
 * tokens when it restarts; the package then calls `invalidateMetadata` and repeats the call.
 */
export function logIn(
  client: Etcd3,
  open: () => Etcd3,
  authenticate: (loginClient: Etcd3) => Promise<string>,
): void {
  const parts = partsOf(client);
  const plain = parts.authenticator;
  const close = client.close.bind(client);
  const loginClients = new Set<Etcd3>();
  let closed = false;
  let asked: Promise<string> | undefined;
  const ask = async () => {
    if (closed) throw new Error('The client was closed.');
    const loginClient = open();
    loginClients.add(loginClient);
    try {
      return await authenticate(loginClient);
    } finally {
      loginClients.delete(loginClient);
      loginClient.close();
    }
  };
  const token = () =>
    (asked ??= ask().catch((error: unknown) => {
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
  client.close = () => {
    closed = true;
    for (const loginClient of loginClients) loginClient.close();
    close();
  };
}
