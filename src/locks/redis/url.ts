export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

export interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

/** What a Redis URL describes: one server, a master behind Sentinel, or a cluster. */
export type RedisAddress =
  | {
      readonly kind: 'single';
      readonly tls: boolean;
      readonly node: RedisNode;
      readonly db: number;
      readonly credentials: Credentials;
    }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisNode[];
      readonly master: string;
      readonly db: number;
      readonly credentials: Credentials;
      readonly sentinelCredentials: Credentials;
    }
  | { readonly kind: 'cluster'; readonly nodes: readonly RedisNode[]; readonly credentials: Credentials };

/** Says what is wrong with a URL. It never contains the URL, which has a password. */
export class RedisUrlError extends Error {
  constructor(readonly reason: string) {
    super(`A Redis URL ${reason}`);
  }
}

// Node's URL class allows one host per URL; Sentinel and Cluster need several.
const FORM =
  /^(?<scheme>[a-z+]+):\/\/(?:(?<login>[^@/?#]*)@)?(?<hosts>[^@/?#]*)(?:\/(?<path>[^@?#]*))?(?:\?(?<query>[^#]*))?$/;
const NODE = /^(?<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?<port>\d+))?$/i;

interface Parts {
  readonly hosts: string;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly credentials: Credentials;
}

/**
 * Reads one of
 * - `redis://user:password@host:port/db`, and `rediss://…` over TLS;
 * - `redis+sentinel://user:password@sentinel:port,sentinel:port/master/db?sentinelUser=…&sentinelPassword=…`, where
 *   `user:password` is for the servers that hold the data;
 * - `redis+cluster://user:password@node:port,node:port`.
 */
export function parseRedisUrl(url: string): RedisAddress {
  const groups = FORM.exec(url)?.groups;
  const read = readers.get(groups?.['scheme'] ?? '');
  if (!read) {
    if (/^rediss?(\+sentinel|\+cluster)?:\/\//.test(url))
      throw new RedisUrlError('cannot be read: write @ / ? # in user and password as %40 %2F %3F %23');
    throw new RedisUrlError('must start with redis://, rediss://, redis+sentinel:// or redis+cluster://');
  }
  const { login, hosts = '', path, query } = groups ?? {};
  return read({
    hosts,
    path: path ? path.split('/').map(decode) : [],
    query: new URLSearchParams(query),
    credentials: readLogin(login),
  });
}

const readers: ReadonlyMap<string, (parts: Parts) => RedisAddress> = new Map([
  ['redis', (parts: Parts) => single(parts, false)],
  ['rediss', (parts: Parts) => single(parts, true)],
  ['redis+sentinel', sentinel],
  ['redis+cluster', cluster],
]);

function single({ hosts, path, query, credentials }: Parts, tls: boolean): RedisAddress {
  const [node, ...others] = readNodes(hosts, 6379);
  if (!node || others.length > 0)
    throw new RedisUrlError('with several hosts must start with redis+sentinel:// or redis+cluster://');
  const [db, ...rest] = path;
  if (rest.length > 0) throw new RedisUrlError('must end in the number of a database, such as /0');
  refuseOthers(query, []);
  return { kind: 'single', tls, node, db: readDb(db), credentials };
}

function sentinel({ hosts, path, query, credentials }: Parts): RedisAddress {
  const [master, db, ...rest] = path;
  if (!master || rest.length > 0)
    throw new RedisUrlError(
      'of Sentinels must name the master: redis+sentinel://host:port,host:port/master/0',
    );
  refuseOthers(query, ['sentinelUser', 'sentinelPassword']);
  return {
    kind: 'sentinel',
    sentinels: readNodes(hosts, 26_379),
    master,
    db: readDb(db),
    credentials,
    sentinelCredentials: readCredentials(query.get('sentinelUser'), query.get('sentinelPassword')),
  };
}

function cluster({ hosts, path, query, credentials }: Parts): RedisAddress {
  if (path.some((part) => part !== '' && part !== '0'))
    throw new RedisUrlError('of a cluster must not name a database: a cluster has number 0 only');
  refuseOthers(query, []);
  return { kind: 'cluster', nodes: readNodes(hosts, 6379), credentials };
}

function readNodes(text: string, defaultPort: number): RedisNode[] {
  return text.split(',').map((item) => {
    const { host, port = defaultPort } = NODE.exec(item)?.groups ?? {};
    if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
      throw new RedisUrlError('must name its servers as host:port, several separated by commas');
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  });
}

function readLogin(login: string | undefined): Credentials {
  if (login === undefined) return {};
  const [, user = '', password = ''] = /^([^:]*)(?::(.*))?$/.exec(login) ?? [];
  return readCredentials(decode(user), decode(password));
}

/** A password alone is for the account called default. */
function readCredentials(user: string | null, password: string | null): Credentials {
  if (!password) {
    if (user) throw new RedisUrlError('with a user must also have a password');
    return {};
  }
  return { ...(user && { username: user }), password };
}

function readDb(text = ''): number {
  if (!/^\d{0,5}$/.test(text)) throw new RedisUrlError('must end in the number of a database, such as /0');
  return Number(text);
}

function refuseOthers(query: URLSearchParams, known: readonly string[]): void {
  if ([...query.keys()].every((name) => known.includes(name))) return;
  throw new RedisUrlError(
    known.length > 0 ? `has no parameters but ${known.join(' and ')}` : 'of this form has no parameters',
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RedisUrlError('has a % that is not followed by two hexadecimal digits: write % as %25');
  }
}
