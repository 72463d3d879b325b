import { once } from 'node:events';
import { Socket } from 'node:net';
import { dirname } from 'node:path/posix';
import zookeeper, { type ACL, type Client, type Event, type Stat } from 'node-zookeeper-client';
import { type ZookeeperAddress } from '../coordination/addresses.js';
import { observedCall } from '../coordination/calls.js';

const CALL_MS = 1000;
/** Longer than a call: both sides may be starting. */
const CONNECT_MS = 3000;
/** The longest pause between two tries to connect. */
const RECONNECT_MS = 200;

type Callback<T> = (error: Error | zookeeper.Exception | null, answer: T) => void;

/** Only clients that have logged in as the account that created the node. */
const CREATOR_ONLY = [new zookeeper.ACL(zookeeper.Permission.ALL, new zookeeper.Id('auth', ''))];
const ANYBODY = [new zookeeper.ACL(zookeeper.Permission.ALL, new zookeeper.Id('world', 'anyone'))];

/** The package's client with promises, which settle within a second. */
export class ZookeeperClient {
  private constructor(
    private readonly client: Client,
    private readonly rights: ACL[],
  ) {}

  /** Resolves when the session exists. With an account, the nodes that it creates are closed to all other accounts. */
  static async connect(
    { servers, auth }: ZookeeperAddress,
    sessionTimeout: number,
  ): Promise<ZookeeperClient> {
    const client = zookeeper.createClient(servers, { sessionTimeout, spinDelay: RECONNECT_MS, retries: 0 });
    // The package logs in whenever it has connected, and `call` sends nothing before.
    if (auth) client.addAuthInfo('digest', Buffer.from(`${auth.username}:${auth.password}`));
    client.connect();
    try {
      await once(client, 'connected', { signal: AbortSignal.timeout(CONNECT_MS) });
      return new ZookeeperClient(client, auth ? CREATOR_ONLY : ANYBODY);
    } catch (error) {
      // Otherwise it would retry for ever.
      abandon(client);
      throw new Error('ZooKeeper does not answer', { cause: error });
    }
  }

  get isConnected(): boolean {
    return this.client.getState() === zookeeper.State.SYNC_CONNECTED;
  }

  get timeoutMs(): number {
    return this.client.getSessionTimeout();
  }

  onDisconnected(listener: () => void): void {
    this.client.on('disconnected', listener);
  }

  onExpired(listener: () => void): void {
    this.client.on('expired', listener);
  }

  /** Waits for a while until the client has reconnected, or the server has said that the session is over. */
  async reconnected(): Promise<void> {
    if (this.isConnected) return;
    const signal = AbortSignal.timeout(CALL_MS);
    await Promise.race([
      once(this.client, 'connected', { signal }),
      once(this.client, 'expired', { signal }),
    ]);
  }

  /** The full path of a new node that ends with the session and has a number after its name. */
  createPlace(path: string): Promise<string> {
    const { EPHEMERAL_SEQUENTIAL } = zookeeper.CreateMode;
    return this.call('create', path, dirname(path), (done) => {
      this.client.create(path, this.rights, EPHEMERAL_SEQUENTIAL, done);
    });
  }

  async createFolders(path: string): Promise<void> {
    await this.call<string>('mkdirp', path, path, (done) => {
      this.client.mkdirp(path, this.rights, done);
    });
  }

  /** Allows only the account of this client to use a node that exists already. */
  async seal(path: string): Promise<void> {
    await this.call<Stat>('setACL', path, path, (done) => {
      this.client.setACL(path, this.rights, done);
    });
  }

  children(path: string): Promise<readonly string[]> {
    return this.call('getChildren', path, path, (done) => {
      this.client.getChildren(path, done);
    });
  }

  /** Undefined when the node does not exist. */
  stat(path: string): Promise<Stat | undefined> {
    return this.call('exists', path, dirname(path), (done) => {
      this.client.exists(path, done);
    });
  }

  /** False when the node does not exist: then nothing is watched. `exists` would leave a watch behind. */
  async watch(path: string, changed: (event: Event) => void): Promise<boolean> {
    const found = this.call<Buffer>('getData and watch', path, dirname(path), (done) => {
      this.client.getData(path, changed, done);
    });
    return ifThere(found.then(() => true));
  }

  /** False when the node did not exist. */
  remove(path: string): Promise<boolean> {
    const removed = this.call<true>('delete', path, dirname(path), (done) => {
      this.client.remove(path, (error) => {
        done(error, true);
      });
    });
    return ifThere(removed);
  }

  /** Ends the session: the server removes its nodes, if the message arrives. */
  close(): void {
    this.client.close();
  }

  /** The server answers in order, and sends what a watch has seen before later answers. */
  async caughtUp(): Promise<void> {
    await this.reconnected();
    await this.send<Stat>((done) => {
      this.client.exists('/', done);
    });
  }

  private call<T>(what: string, path: string, queue: string, ask: (done: Callback<T>) => void): Promise<T> {
    const call = {
      service: 'zookeeper',
      text: `${what} ${path}`,
      queue,
      socket: () => socketOf(this.client),
    } as const;
    return observedCall(call, () => this.send(ask));
  }

  private send<T>(ask: (done: Callback<T>) => void): Promise<T> {
    // A call without a connection would be sent after the next reconnect, long after its caller has timed out.
    if (!this.isConnected) {
      return Promise.reject(new Error('ZooKeeper is not connected'));
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error('ZooKeeper does not answer'));
      }, CALL_MS);
      ask((error, answer) => {
        clearTimeout(timer);
        if (error) reject(error instanceof Error ? error : new Error(error.toString()));
        else resolve(answer);
      });
    });
  }
}

/**
 * Closes a client that was never connected. The package would mistake the answer to its handshake, which has no number, for
 * the answer to its first request, number 0, and throw an error that cannot be caught. So number 0 is marked as used.
 */
function abandon(client: Client): void {
  const connection: unknown = 'connectionManager' in client ? client.connectionManager : undefined;
  if (connection instanceof Object && 'xid' in connection) connection.xid = 1;
  client.close();
}

function socketOf(client: Client): Socket | undefined {
  const connection: unknown = 'connectionManager' in client ? client.connectionManager : undefined;
  const socket: unknown =
    connection instanceof Object && 'socket' in connection ? connection.socket : undefined;
  return socket instanceof Socket ? socket : undefined;
}

/** Whether it is the package's error with this code. */
export function isException(error: unknown, code: number): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

export const NO_NODE: number = zookeeper.Exception.NO_NODE;
export const NO_AUTH: number = zookeeper.Exception.NO_AUTH;

async function ifThere(found: Promise<true>): Promise<boolean> {
  try {
    return await found;
  } catch (error) {
    if (isException(error, NO_NODE)) return false;
    throw error;
  }
}
