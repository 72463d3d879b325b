import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

type Connect = SentinelConnector['connect'];

/**
 * Asks the Sentinels for the master at every connect. While connected it listens for their word that there is a new
 * one, and hangs up on the old. In ioredis 6.0 that watch outlives its connection: when the word comes while the
 * Sentinels are being asked again, it ends the asking, and the client for good. So the watch ends first.
 */
export class FollowingConnector extends SentinelConnector {
  private watching = false;

  constructor(options: unknown) {
    // ioredis hands a connector all options of its client, and does not say so in its types.
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
