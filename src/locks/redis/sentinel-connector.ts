import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

type Connect = SentinelConnector['connect'];

/**
 * Asks the Sentinels for the master at every connect. While connected, it listens for their message that there is a new
 * master, and then closes the connection to the old one. In ioredis 6.0 that subscription outlives its connection: if the
 * message arrives while the Sentinels are asked again, it aborts the query, and the client never reconnects. So the
 * subscription is closed first.
 */
export class FollowingConnector extends SentinelConnector {
  private watching = false;

  constructor(options: unknown) {
    // ioredis passes all options of its client to a connector, but its types do not say so.
    super(options as SentinelConnectionOptions);
  }

  override async connect(...args: Parameters<Connect>): ReturnType<Connect> {
    if (this.watching) this.disconnect();
    this.watching = false;
    const stream = await super.connect(...args);
    stream.once('connect', () => {
      this.watching = true;
    });
    return stream;
  }
}
