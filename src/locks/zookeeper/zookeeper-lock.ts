import { checkDurations } from '../arguments.js';
import { parseZookeeperUrl } from '../coordination/addresses.js';
import { SessionLock } from '../coordination/session-lock.js';
import { type StateListener } from '../coordination/sessions.js';

export interface ZookeeperLockOptions {
  /** The node under which the locks are, so that they can share a ZooKeeper with other data. */
  readonly root?: string;
  /** How long a holder without renewals keeps its locks, within the server's bounds for a session. */
  readonly watchdogMs?: number;
  /** Called when ZooKeeper starts or stops answering. */
  readonly onChange?: StateListener | undefined;
}

/**
 * ZooKeeper: a queue of ephemeral sequential nodes, and a watch on the node ahead. The lock survives the loss of a minority
 * of the servers. As with every lease, only a check in the store stops a holder that was paused for longer than its
 * session. An empty node stays for each key that was ever used.
 */
export class ZookeeperLock extends SessionLock {
  /** `zookeeper://user:password@host:2181,host:2181/path`, or without an account; the path must exist. */
  constructor(
    url: string,
    { root = '/locks', watchdogMs: timeoutMs = 30_000, onChange }: ZookeeperLockOptions = {},
  ) {
    checkDurations({ watchdogMs: timeoutMs });
    const address = parseZookeeperUrl(url);
    super(async (doubt) => {
      // Loaded on first use: users of other locks should not pay for the client.
      const { ZookeeperSession } = await import('./zookeeper-session.js');
      return ZookeeperSession.open(address, { root, timeoutMs }, doubt);
    }, onChange);
  }
}
