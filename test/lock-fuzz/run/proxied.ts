import { TcpProxy } from '../../../src/lab/tcp-proxy.js';
import { type EngineName } from '../kinds/kind.js';
import { type FuzzPlaces } from '../kinds/places.js';

/** The real servers. */
export interface ServerPlaces extends FuzzPlaces {
  /** Of the Redis servers that take commands: one, the nodes behind Sentinel, or the nodes of a cluster. */
  readonly redisPorts: readonly number[];
}

/** The servers as one client sees them, each behind a proxy of its own. */
export class Proxied {
  private constructor(
    readonly proxies: readonly TcpProxy[],
    readonly places: FuzzPlaces,
  ) {}

  static async open(engine: EngineName, servers: ServerPlaces, prefix: string): Promise<Proxied> {
    const ports = portsOf(engine, servers);
    const proxies = await Promise.all(ports.map((port) => TcpProxy.to(port)));
    const proxyOf = new Map(ports.map((port, index) => [port, proxies[index]?.port ?? port]));
    const through = (url: string) =>
      url.replace(/:(\d+)(?=[/,?]|$)/g, (_, port: string) => `:${proxyOf.get(Number(port)) ?? port}`);
    const { redisPorts, database, ...rest } = servers;
    return new Proxied(proxies, {
      ...rest,
      prefix,
      redisUrl: through(servers.redisUrl),
      masterUrls: servers.masterUrls.map(through),
      nat: Object.fromEntries(
        redisPorts.map((port) => [
          `127.0.0.1:${port}`,
          { host: '127.0.0.1', port: proxyOf.get(port) ?? port },
        ]),
      ),
      database: { ...database, port: proxyOf.get(database.port) ?? database.port },
      etcdUrl: servers.etcdUrl && through(servers.etcdUrl),
      zookeeperUrl: servers.zookeeperUrl && through(servers.zookeeperUrl),
    });
  }

  get connections(): number {
    return this.proxies.reduce((sum, proxy) => sum + proxy.connections, 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
  }
}

function portsOf(engine: EngineName, servers: ServerPlaces): readonly number[] {
  const port = (url: string | undefined) => (url === undefined ? [] : [Number(new URL(url).port)]);
  switch (engine) {
    case 'redis':
      return servers.redisPorts;
    case 'masters':
      return servers.masterUrls.flatMap(port);
    case 'mysql':
      return [servers.database.port];
    case 'etcd':
      return port(servers.etcdUrl);
    case 'zookeeper':
      return port(servers.zookeeperUrl);
  }
}
