import { Cluster, type CommonRedisOptions, Redis } from 'ioredis';
import { FollowingConnector } from './sentinel-connector.js';
import { parseRedisUrl } from './url.js';

export type RedisClient = Redis | Cluster;

/** As ioredis calls them. */
export type ConnectOptions = Pick<CommonRedisOptions, 'commandTimeout' | 'connectionName' | 'lazyConnect'>;

const COMMAND_TIMEOUT_MS = 1000;
const CONNECT_TIMEOUT_MS = 2000;
/** Often at first, because a failover takes about a second; at most twice a second while the server is down. */
const retryStrategy = (times: number) => Math.min(times * 50, 500);
/** A demoted master keeps its connections open and refuses every write: only a new connection finds the new master. */
const reconnectOnError = ({ message }: Error) => message.startsWith('READONLY');

/**
 * A client for locks. By default ioredis queues a command for over a minute while the server is down, and resends it when
 * the reply was lost. A lock that is acquired twice, or a stock that is decremented twice, is worse than an error. So this
 * client queues nothing, resends nothing, and no command takes longer than its timeout.
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
        reconnectOnError,
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
        // A stopped master keeps its connections open.
        Connector: FollowingConnector,
        failoverDetector: true,
        disconnectTimeout: 200,
        db: address.db,
        enableOfflineQueue: false,
        reconnectOnError,
        retryStrategy,
        lazyConnect,
      });
    case 'cluster':
      return new Cluster([...address.nodes], {
        redisOptions: settings,
        enableOfflineQueue: false,
        lazyConnect,
        clusterRetryStrategy: retryStrategy,
        // With a strategy of its own, a lost node fails its commands in flight with an error after which ioredis does
        // not resend them. Commands that had not been sent yet are retried a few times.
        clusterNodeRetryStrategy: retryStrategy,
        maxRedirections: 5,
        retryDelayOnFailover: 50,
        retryDelayOnClusterDown: 50,
        slotsRefreshTimeout: COMMAND_TIMEOUT_MS,
      });
  }
}

/** How long the client waits for an answer at most; the default of `connectRedis` when it has no limit. */
export function commandTimeoutOf(client: RedisClient): number {
  const { commandTimeout } = client instanceof Cluster ? (client.options.redisOptions ?? {}) : client.options;
  return commandTimeout ?? COMMAND_TIMEOUT_MS;
}

/**
 * A separate connection for SUBSCRIBE; the caller closes it. It has no timeout: a subscription that timed out while the
 * connection is restored would be lost silently. (ioredis resubscribes by itself but does not handle a failure: the
 * unhandled rejection would end the process.)
 */
export function subscriberOf(client: RedisClient): RedisClient {
  if (client instanceof Cluster) return client.duplicate([], { enableOfflineQueue: true });
  return client.duplicate({
    commandTimeout: undefined,
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
  });
}
