/** Says what is wrong with an address. It never contains the address, which may have a password. */
export class AddressError extends Error {
  constructor(readonly reason: string) {
    super(`An address ${reason}`);
  }
}

const SERVER = /^(?<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+):(?<port>\d{1,5})$/i;

export interface Account {
  readonly username: string;
  readonly password: string;
}

export interface EtcdAddress {
  readonly hosts: readonly string[];
  readonly auth: Account | undefined;
}

export interface ZookeeperAddress {
  /** ZooKeeper's connection string: `host:2181,host:2181/chroot`. */
  readonly servers: string;
  readonly auth: Account | undefined;
}

/** Reads `http://user:password@host:2379`, or `https://…`; several members are separated by commas. */
export function parseEtcdUrl(text: string): EtcdAddress {
  const urls = text.split(',').map((part) => {
    const url = URL.canParse(part.trim()) ? new URL(part.trim()) : undefined;
    if (!url || !['http:', 'https:'].includes(url.protocol)) {
      throw new AddressError(
        'must be http:// or https:// and a host, or several of them separated by commas',
      );
    }
    if (url.pathname !== '/' || url.search || url.hash)
      throw new AddressError('must end after host and port');
    return url;
  });
  if (new Set(urls.map(({ protocol }) => protocol)).size > 1) {
    throw new AddressError('must not mix http:// and https://');
  }
  const { username, password } = urls.find((url) => url.username) ?? { username: '', password: '' };
  return {
    hosts: urls.map(({ protocol, hostname, port }) => `${protocol}//${hostname}:${port || '2379'}`),
    auth: account(username, password),
  };
}

const ZOOKEEPER =
  /^zookeeper:\/\/(?:(?<username>[^/?#@:]*):(?<password>[^/?#@:]*)@)?(?<servers>[^/?#@]+)(?<chroot>(?:\/[A-Za-z0-9_-]+)*)\/?$/;

/** Reads `zookeeper://user:password@host:2181,host:2181/chroot`. */
export function parseZookeeperUrl(text: string): ZookeeperAddress {
  const { username = '', password = '', servers = '', chroot = '' } = ZOOKEEPER.exec(text)?.groups ?? {};
  if (!servers.split(',').every((server) => SERVER.test(server))) {
    throw new AddressError(
      'must be zookeeper://host:2181 or zookeeper://user:password@host:2181, with further host:port after commas, and perhaps /path',
    );
  }
  return { servers: servers + chroot, auth: account(username, password) };
}

/** A login needs both: an empty password is a variable that was not filled in. */
function account(username: string, password: string): Account | undefined {
  if (username === '' && password === '') return undefined;
  if (username === '' || password === '')
    throw new AddressError('must have both a user and a password, or neither');
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw new AddressError('must have a user and a password whose special characters are percent-encoded');
  }
}
