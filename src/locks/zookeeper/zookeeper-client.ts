import { once } from 'node:events';
import zookeeper, { type ACL, type Client, type Event, type Stat } from 'node-zookeeper-client';
import { type ZookeeperAddress } from '../coordination/addresses.js';

const CALL_MS = 1000;
/** Longer than a call: both sides may be starting. */
const CONNECT_MS = 3000;
/** The longest pause between two tries to connect. */
const RECONNECT_MS = 200;

type Callback<T> = (error: Error | zookeeper.Exception | null, answer: T) => void;

/** Whoever has logged in as the account that made a node, and nobody else. */
const CREATOR_ONLY = [new zookeeper.ACL(zookeeper.Permission.ALL, new zookeeper.Id('auth', ''))];
const ANYBODY = [new zookeeper.ACL(zookeeper.Permission.ALL, new zookeeper.Id('world', 'anyone'))];

/** The package's client with promises that are kept or broken within a second. */
export class ZookeeperClient {
  private constructor(
    private readonly client: Client,
    private readonly rights: ACL[],
  ) {}

  /** A new session, once it stands. With an account, the nodes that it makes are closed to everybody else. */
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
      // Or it would try for ever.
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

  /** Waits for a while until a broken connection is made again, or the server has said that the session is over. */
  async reconnected(): Promise<void> {
    if (this.isConnected) return;
    const signal = AbortSignal.timeout(CALL_MS);
    await Promise.race([
      once(this.client, 'connected', { signal }),
      once(this.client, 'expired', { signal }),
    ]);
  }

  /** The full path of a new node that goes with the session and has a number after its name. */
  createPlace(path: string): Promise<string> {
    const { EPHEMERAL_SEQUENTIAL } = zookeeper.CreateMode;
    return this.call((done) => {
      this.client.create(path, this.rights, EPHEMERAL_SEQUENTIAL, done);
    });
  }

  async createFolders(path: string): Promise<void> {
    await this.call<string>((done) => {
      this.client.mkdirp(path, this.rights, done);
    });
  }

  /** Closes a node that is already there to everybody but the account of this client. */
  async seal(path: string): Promise<void> {
    await this.call<Stat>((done) => {
      this.client.setACL(path, this.rights, done);
    });
  }

  children(path: string): Promise<readonly string[]> {
    return this.call((done) => {
      this.client.getChildren(path, done);
    });
  }

  /** Undefined when there is no such node. */
  stat(path: string): Promise<Stat | undefined> {
    return this.call((done) => {
      this.client.exists(path, done);
    });
  }

  /** False when there is no such node: then nothing is watched, and nothing is left behind. `exists` would leave a watch. */
  async watch(path: string, changed: (event: Event) => void): Promise<boolean> {
    const found = this.call<Buffer>((done) => {
      this.client.getData(path, changed, done);
    });
    return ifThere(found.then(() => true));
  }

  /** False when there was no such node. */
  remove(path: string): Promise<boolean> {
    const removed = this.call<true>((done) => {
      this.client.remove(path, (error) => {
        done(error, true);
      });
    });
    return ifThere(removed);
  }

  /** Ends the session: the server removes what it has of it, if it hears of it. */
  close(): void {
    this.client.close();
  }

  private call<T>(ask: (done: Callback<T>) => void): Promise<T> {
    // A question asked without a connection would be sent after the next one stands, long after its asker has gone.
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
 * Closes a client that never was connected. The package would take the answer to its greeting, which has no number, for
 * the answer to its first request, number 0, and throw where nobody can catch it; so it is told that 0 is used up.
 */
function abandon(client: Client): void {
  const connection: unknown = 'connectionManager' in client ? client.connectionManager : undefined;
  if (connection instanceof Object && 'xid' in connection) connection.xid = 1;
  client.close();
}

/** Is it the package's error of this number? */
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
