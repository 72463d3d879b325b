import { Cluster, Redis } from 'ioredis';
import { type RedisClient, parseRedisUrl } from '../../../src/locks/index.js';
import { eventually } from '../../support/eventually.js';
import { type Settings } from '../plan/plan.js';
import { type FuzzPlaces } from './places.js';

const retryStrategy = () => 25;
const CONNECT_TIMEOUT_MS = 3000;
const OPENED_WITHIN_MS = 60_000;
/**
 * `disconnect()` of ioredis sets a timer of this length, and clears it when the socket closes. A client that is closed
 * between two reconnects has no open socket, so its timer always runs to the end: by default for 2 s, which is longer
 * than the fuzzer waits for timers to end.
 */
const DISCONNECT_TIMEOUT_MS = 200;

/** Like `connectRedis`, but through the proxies, reconnecting sooner, and with the plan's timeout and retries. */
export async function openRedis(
  url: string,
  { nat }: Pick<FuzzPlaces, 'nat'>,
  settings: Settings,
): Promise<RedisClient> {
  const client = connect(url, nat, settings);
  client.on('error', () => undefined);
  await eventually('a connection to Redis', () => client.status === 'ready', OPENED_WITHIN_MS);
  // Not before: on a machine that stalls, a client could time out while it logs in, again and again.
  limitCommands(client, settings.commandTimeoutMs);
  return client;
}

function limitCommands(client: RedisClient, commandTimeout: number | undefined): void {
  if (commandTimeout === undefined) return;
  const limited =
    client instanceof Cluster
      ? [client.options.redisOptions ?? {}, ...client.nodes().map(({ options }) => options)]
      : [client.options];
  for (const options of limited) options.commandTimeout = commandTimeout;
}

function connect(url: string, nat: FuzzPlaces['nat'], settings: Settings): RedisClient {
  const address = parseRedisUrl(url);
  const common = {
    ...address.credentials,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: settings.retries,
  };
  const enableOfflineQueue = settings.offlineQueue;
  switch (address.kind) {
    case 'single':
      return new Redis({ ...common, ...address.node, db: address.db, enableOfflineQueue, retryStrategy });
    case 'sentinel':
      return new Redis({
        ...common,
        name: address.master,
        sentinels: [...address.sentinels],
        sentinelUsername: address.sentinelCredentials.username,
        sentinelPassword: address.sentinelCredentials.password,
        sentinelRetryStrategy: retryStrategy,
        natMap: nat,
        enableOfflineQueue,
        retryStrategy,
      });
    case 'cluster':
      return new Cluster([...address.nodes], {
        redisOptions: common,
        natMap: nat,
        enableOfflineQueue,
        clusterRetryStrategy: retryStrategy,
        clusterNodeRetryStrategy: retryStrategy,
        slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
        maxRedirections: 5,
      });
  }
}
