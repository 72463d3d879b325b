import { Cluster, type CommonRedisOptions, Redis } from 'ioredis';
import { FollowingConnector } from './sentinel-connector.js';
import { parseRedisUrl } from './url.js';

export type RedisClient = Redis | Cluster;

/** As ioredis calls them. */
export type ConnectOptions = Pick<CommonRedisOptions, 'commandTimeout' | 'connectionName' | 'lazyConnect'>;

const COMMAND_TIMEOUT_MS = 1000;
const CONNECT_TIMEOUT_MS = 2000;
/** Soon at first, since a failover takes about a second, and never more than twice a second for a server that is gone. */
const retryStrategy = (times: number) => Math.min(times * 50, 500);

/**
 * A client for locks: who waits for a lock must hear soon that nobody can tell. ioredis by default holds a command for
 * over a minute while the server is away, and sends it again when a reply was lost; a lock taken, or a stock counted
 * down, twice is worse than an error. So nothing is queued, nothing is sent again, and no command takes longer than
 * its timeout.
 */
export function connectRedis(url: string, options: ConnectOptions = {}): RedisClient {
  const address = parseRedisUrl(url);
  const { lazyConnect = false, ...rest } = options;
  const settings = {
    ...address.credentials,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    autoResubscribe: true,
    ...rest,
  };
  switch (address.kind) {
    case 'single':
      return new Redis({
        ...settings,
        ...address.node,
        ...(address.tls && { tls: {} }),
        db: address.db,
        enableOfflineQueue: false,
        retryStrategy,
        lazyConnect,
      });
    case 'sentinel':
      return new Redis({
        ...settings,
        name: address.master,
        sentinels: [...address.sentinels],
        sentinelUsername: address.sentinelCredentials.username,
        sentinelPassword: address.sentinelCredentials.password,
        sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
        sentinelRetryStrategy: retryStrategy,
        sentinelReconnectStrategy: retryStrategy,
        // A master that only stopped keeps its connections open, and never says good-bye.
        Connector: FollowingConnector,
        failoverDetector: true,
        disconnectTimeout: 200,
        db: address.db,
        enableOfflineQueue: false,
        retryStrategy,
        lazyConnect,
      });
    case 'cluster':
      return new Cluster([...address.nodes], {
        redisOptions: settings,
        enableOfflineQueue: false,
        lazyConnect,
        clusterRetryStrategy: retryStrategy,
        // With a strategy of its own, a node that is lost fails the commands under way with an error that the cluster
        // does not answer by sending them again. Those that had not been sent yet try again a few times.
        clusterNodeRetryStrategy: retryStrategy,
        maxRedirections: 5,
        retryDelayOnFailover: 50,
        retryDelayOnClusterDown: 50,
        slotsRefreshTimeout: COMMAND_TIMEOUT_MS,
      });
  }
}

/**
 * A connection of its own for SUBSCRIBE, for the caller to close. It is as patient as a client for commands is not: a
 * subscription that times out while the connection comes back would be lost without a word. (ioredis subscribes again
 * by itself but does not look at the answer; a rejection there ends the process.)
 */
export function subscriberOf(client: RedisClient): RedisClient {
  if (client instanceof Cluster) return client.duplicate([], { enableOfflineQueue: true });
  return client.duplicate({
    commandTimeout: undefined,
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
  });
}
