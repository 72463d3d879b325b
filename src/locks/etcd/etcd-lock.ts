import { type Etcd3 } from 'etcd3';
import { checkDurations } from '../arguments.js';
import { SessionLock } from '../coordination/session-lock.js';
import { type StateListener } from '../coordination/sessions.js';
import { connectEtcd } from './connect.js';
import { EtcdSession } from './etcd-session.js';

export interface EtcdLockOptions {
  /** Before every key, so that locks can share an etcd with other data. */
  readonly prefix?: string;
  /** How long a holder without renewals keeps its locks: whole seconds, and no less than the server's shortest lease. */
  readonly watchdogMs?: number;
  /** Called when etcd starts or stops answering. */
  readonly onChange?: StateListener | undefined;
}

/**
 * etcd: a lease, a queue of keys, and a watch on the key ahead. The lock survives the loss of a minority of the members.
 * As with every lease, only a check in the store stops a holder that was paused for longer than its lease.
 */
export class EtcdLock extends SessionLock {
  private readonly client: { connected?: Promise<Etcd3> };

  /** One or more members, separated by commas: `http://user:password@host:2379`, or `https://…`. */
  constructor(url: string, { prefix = 'lock/', watchdogMs = 30_000, onChange }: EtcdLockOptions = {}) {
    checkDurations({ watchdogMs });
    const client: { connected?: Promise<Etcd3> } = {};
    super(async (doubt) => {
      client.connected ??= connectEtcd(url);
      return EtcdSession.open(await client.connected, { prefix, timeoutMs: watchdogMs }, doubt);
    }, onChange);
    this.client = client;
  }

  override async close(): Promise<void> {
    await super.close();
    (await this.client.connected)?.close();
  }
}
