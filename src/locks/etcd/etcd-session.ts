import { type Etcd3, type IRangeResponse } from 'etcd3';
import { observedCall } from '../coordination/calls.js';
import { type Ahead, Session, type Standing } from '../coordination/session.js';
import { LockLost } from '../errors.js';
import { callDeadline, CONNECT_MS } from './connect.js';
import { EtcdWatches } from './watches.js';

export interface EtcdSessionOptions {
  readonly prefix: string;
  readonly timeoutMs: number;
}

/**
 * An etcd lease, and the keys that are bound to it. A key under the name of the lock is a place in its queue. The number of
 * a place is the create revision of its key: one counter for the whole store, which a majority of the members keeps.
 */
export class EtcdSession extends Session {
  private readonly watches: EtcdWatches;

  private constructor(
    private readonly client: Etcd3,
    private readonly prefix: string,
    private readonly leaseId: string,
    readonly timeoutMs: number,
    doubt: () => void,
  ) {
    super(doubt);
    this.watches = new EtcdWatches(client);
  }

  static async open(
    client: Etcd3,
    { prefix, timeoutMs }: EtcdSessionOptions,
    doubt: () => void,
  ): Promise<EtcdSession> {
    // Leases are whole seconds, and the server has a minimum: what it grants is what counts.
    const wanted = { TTL: Math.max(1, Math.ceil(timeoutMs / 1000)) };
    const { ID, TTL } = await client.leaseClient.leaseGrant(wanted, callDeadline(CONNECT_MS));
    const session = new EtcdSession(client, prefix, ID, Number(TTL) * 1000, doubt);
    await session.prove();
    return session;
  }

  async enter(key: string, name: string): Promise<Standing> {
    const queue = this.queue(key);
    const place = queue + name;
    const { succeeded, responses, header } = await observed(
      `put ${place} if it is new, and read the queue`,
      queue,
      () =>
        this.client
          .if(place, 'Create', '==', 0)
          .then(
            this.client.put(place).value('').lease(this.leaseId),
            // The newest key is this place, the next one is the place ahead.
            this.client.getAll().prefix(queue).sort('Create', 'Descend').limit(2),
          )
          .else(this.client.get(place))
          .commit(),
    );
    const revision = BigInt(header.revision);
    if (succeeded) return { token: revision, ahead: this.ahead(responses[1]?.response_range, 1, revision) };
    // An earlier attempt succeeded, and its answer was lost.
    const made = responses[0]?.response_range.kvs[0];
    if (!made) throw new LockLost();
    return this.look(key, name, BigInt(made.create_revision));
  }

  async look(key: string, name: string, token: bigint): Promise<Standing> {
    const queue = this.queue(key);
    const { succeeded, responses, header } = await observed(
      `read the queue ahead of ${queue + name}`,
      queue,
      () =>
        this.client
          .if(queue + name, 'Create', '==', String(token))
          .then(
            this.client
              .getAll()
              .prefix(queue)
              .maxCreateRevision(String(token - 1n))
              .sort('Create', 'Descend')
              .limit(1),
          )
          .commit(),
    );
    if (!succeeded) throw new LockLost();
    return { token, ahead: this.ahead(responses[0]?.response_range, 0, BigInt(header.revision)) };
  }

  async caughtUp(): Promise<void> {
    await this.watches.caughtUp();
  }

  async close(): Promise<void> {
    this.watches.close();
    if (!this.over) await this.client.leaseClient.leaseRevoke({ ID: this.leaseId }).catch(() => undefined);
    this.finish();
  }

  protected async renew(): Promise<boolean> {
    const stream = await this.client.leaseClient.leaseKeepAlive(callDeadline());
    const left = await new Promise<string>((resolve, reject) => {
      stream
        .on('data', ({ TTL }) => {
          resolve(TTL);
        })
        .on('error', reject)
        .on('end', () => {
          reject(new Error('etcd closed the stream'));
        });
      stream.write({ ID: this.leaseId });
    });
    stream.end();
    return Number(left) > 0;
  }

  protected async remove(key: string, name: string): Promise<boolean> {
    const queue = this.queue(key);
    const { deleted } = await observed(`delete ${queue + name}`, queue, () =>
      this.client
        .delete()
        .key(queue + name)
        .exec(),
    );
    return Number(deleted) === 1;
  }

  private queue(key: string): string {
    // Encoded, so that the queue of one key is not part of the queue of another.
    return `${this.prefix}${encodeURIComponent(key)}/`;
  }

  private ahead(range: IRangeResponse | undefined, index: number, revision: bigint): Ahead | undefined {
    const before = range?.kvs[index]?.key.toString();
    if (before === undefined) return undefined;
    // From the revision at which the queue was read, so that no change is missed.
    return { watch: (wake) => this.watches.watch(before, revision, wake) };
  }
}

function observed<T>(text: string, queue: string, send: () => Promise<T>): Promise<T> {
  return observedCall({ service: 'etcd', text, queue }, send);
}
