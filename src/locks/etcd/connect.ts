import { randomUUID } from 'node:crypto';
import { type Etcd3, type IOptions } from 'etcd3';
import { parseEtcdUrl } from '../coordination/addresses.js';
import { partsOf } from './client-parts.js';
import { Connections } from './connections.js';
import { logIn } from './login.js';

type Policy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;

const CALL_MS = 1000;
/** Longer than a call: both sides may be starting. */
export const CONNECT_MS = 3000;

/** By default gRPC waits up to two minutes before it tries again. */
const GRPC_OPTIONS = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
};

/** No retries and no circuit breaker: the session decides when to retry. */
class AskOnce implements Policy {
  declare readonly _altReturn: never;
  readonly onSuccess: Policy['onSuccess'] = () => ({ dispose: () => undefined });
  readonly onFailure: Policy['onFailure'] = () => ({ dispose: () => undefined });

  async execute<T>(
    work: (context: { readonly signal: AbortSignal }) => PromiseLike<T> | T,
    signal = new AbortController().signal,
  ): Promise<T> {
    return work({ signal });
  }
}

/** When a call must be answered. */
export function callDeadline(ms = CALL_MS): { readonly deadline: number } {
  return { deadline: Date.now() + ms };
}

/** A client for locks: each call is answered or fails within a second, and connects again soon. */
export async function connectEtcd(url: string): Promise<Etcd3> {
  const { hosts, auth } = parseEtcdUrl(url);
  // Loaded on first use: gRPC is slow to load, and users of other locks should not pay for it.
  const { Etcd3 } = await import('etcd3');
  const policy = new AskOnce();
  const options: IOptions = {
    hosts: [...hosts],
    // A stream, such as that of the watches, has no deadline.
    defaultCallOptions: ({ isStream }) => (isStream ? {} : callDeadline()),
    faultHandling: { global: policy, host: () => policy },
  };
  const open = () => {
    // A channel option of its own, since gRPC lets clients with equal options share connections.
    const grpcOptions = { ...GRPC_OPTIONS, 'lockstock.client': randomUUID() };
    const client = new Etcd3({ ...options, grpcOptions });
    // All hosts of a client have the same credentials.
    const [host] = partsOf(client).hosts;
    const connections = host && new Connections(host.channelCredentials, CONNECT_MS);
    const close = client.close.bind(client);
    client.close = () => {
      close();
      connections?.close();
    };
    return client;
  };
  const client = open();
  if (auth) {
    const account = { name: auth.username, password: auth.password };
    logIn(client, open, async (loginClient) => {
      const { token } = await loginClient.auth.authenticate(account, callDeadline(CONNECT_MS));
      return token;
    });
  }
  return client;
}
