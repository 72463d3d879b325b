import { type ZookeeperAddress } from '../coordination/addresses.js';
import { Session, type Standing } from '../coordination/session.js';
import { LockLost } from '../errors.js';
import { isException, NO_AUTH, NO_NODE, ZookeeperClient } from './zookeeper-client.js';

export interface ZookeeperSessionOptions {
  readonly root: string;
  readonly timeoutMs: number;
}

/** The number of digits that the server appends to a name. */
const NUMBER_LENGTH = 10;

/**
 * A ZooKeeper session and its ephemeral sequential nodes. A node under the folder of the lock is a place in its queue. Its
 * name contains its owner: when the answer to its creation is lost, it is found by that name.
 */
export class ZookeeperSession extends Session {
  private readonly paths = new Map<string, string>();
  /** Names whose creation was requested: a place may exist although no answer came. */
  private readonly asked = new Set<string>();
  private readonly watched = new Map<string, Set<() => void>>();

  private constructor(
    private readonly client: ZookeeperClient,
    private readonly root: string,
    doubt: () => void,
  ) {
    super(doubt);
    client.onDisconnected(() => {
      // Suspended: the session may survive, but this cannot be proven meanwhile.
      this.suspend();
      doubt();
    });
    client.onExpired(() => {
      this.finish();
      doubt();
    });
  }

  static async open(
    address: ZookeeperAddress,
    { root, timeoutMs }: ZookeeperSessionOptions,
    doubt: () => void,
  ): Promise<ZookeeperSession> {
    const client = await ZookeeperClient.connect(address, timeoutMs);
    try {
      await enterRoot(client, root);
      const session = new ZookeeperSession(client, root, doubt);
      await session.prove();
      return session;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  get timeoutMs(): number {
    return this.client.timeoutMs;
  }

  async enter(key: string, name: string): Promise<Standing> {
    const path =
      (this.asked.has(name) ? await this.find(key, name) : undefined) ?? (await this.create(key, name));
    this.paths.set(name, path);
    const [stat, queue] = await Promise.all([this.client.stat(path), this.client.children(this.folder(key))]);
    if (!stat) throw new LockLost();
    return this.standing(key, name, queue, stat.czxid.readBigInt64BE());
  }

  async look(key: string, name: string, token: bigint): Promise<Standing> {
    return this.standing(key, name, await this.client.children(this.folder(key)), token);
  }

  async caughtUp(): Promise<void> {
    if (!this.over) await this.client.caughtUp();
  }

  close(): Promise<void> {
    this.finish();
    this.client.close();
    return Promise.resolve();
  }

  /** Any answer proves that the server has received a request of this session. */
  protected async renew(): Promise<boolean> {
    try {
      await this.client.stat(this.root).catch((error: unknown) => this.onceMore(error));
      return !this.over;
    } catch (error) {
      // The package waits for ever for a server that accepts the connection and does not answer.
      if (performance.now() > this.deadline + this.timeoutMs && this.deadline > 0) this.finish();
      throw error;
    }
  }

  /** Often the first request after a break notices the broken connection, which is then restored at once. */
  private async onceMore(error: unknown): Promise<void> {
    if (this.client.isConnected) throw error;
    await this.client.reconnected();
    if (!this.over) await this.client.stat(this.root);
  }

  protected async remove(key: string, name: string): Promise<boolean> {
    const path = this.paths.get(name) ?? (await this.find(key, name));
    const removed = path !== undefined && (await this.client.remove(path));
    this.paths.delete(name);
    this.asked.delete(name);
    return removed;
  }

  protected override finish(): void {
    super.finish();
    this.watched.clear();
  }

  private folder(key: string): string {
    return `${this.root}/key-${encodeURIComponent(key)}`;
  }

  private async create(key: string, name: string): Promise<string> {
    const folder = this.folder(key);
    this.asked.add(name);
    try {
      return await this.client.createPlace(`${folder}/${name}-`);
    } catch (error) {
      if (!isException(error, NO_NODE)) throw error;
      await this.client.createFolders(folder);
      return this.client.createPlace(`${folder}/${name}-`);
    }
  }

  private async find(key: string, name: string): Promise<string | undefined> {
    const folder = this.folder(key);
    const node = (await this.client.children(folder)).find((child) => child.startsWith(`${name}-`));
    return node && `${folder}/${node}`;
  }

  private standing(key: string, name: string, queue: readonly string[], token: bigint): Standing {
    const own = queue.find((node) => node.startsWith(`${name}-`));
    if (own === undefined) throw new LockLost();
    const before = queue
      .filter((node) => numberOf(node) < numberOf(own))
      .reduce<string | undefined>(
        (last, node) => (last && numberOf(last) > numberOf(node) ? last : node),
        undefined,
      );
    if (before === undefined) return { token, ahead: undefined };
    const path = `${this.folder(key)}/${before}`;
    return { token, ahead: { watch: (wake) => this.watch(path, wake) } };
  }

  /** One watch per node, however many waiters come and go: only the server can end a watch. */
  private watch(path: string, wake: () => void): () => void {
    const wakes = this.watched.get(path) ?? new Set();
    if (!this.watched.has(path)) {
      this.watched.set(path, wakes);
      const changed = () => {
        this.watched.delete(path);
        for (const each of wakes) each();
      };
      // The node does not exist, or the server does not answer: either way the waiter reads the queue again.
      this.client.watch(path, changed).then((there) => {
        if (!there) changed();
      }, changed);
    }
    wakes.add(wake);
    return () => wakes.delete(wake);
  }
}

/** ZooKeeper accepts any password at login and refuses requests later. This reports a wrong password before the first lock. */
async function enterRoot(client: ZookeeperClient, root: string): Promise<void> {
  try {
    await client.children(root).catch(async (error: unknown) => {
      if (!isException(error, NO_NODE)) throw error;
      await client.createFolders(root);
    });
  } catch (error) {
    if (!isException(error, NO_AUTH)) throw error;
    throw new Error(`ZooKeeper refuses access to ${root}: the user or the password is wrong, or missing`, {
      cause: error,
    });
  }
}

function numberOf(node: string): number {
  return Number(node.slice(-NUMBER_LENGTH));
}
