/** Says what is wrong with an address and never quotes it: there may be a password in it. */
export class AddressError extends Error {
  constructor(readonly reason: string) {
    super(`An address ${reason}`);
  }
}

const SERVER = /^(?<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+):(?<port>\d{1,5})$/i;

export interface EtcdAddress {
  readonly hosts: readonly string[];
  readonly auth: { readonly username: string; readonly password: string } | undefined;
}

/** Reads `http://user:password@host:2379`, or `https://…`; several members with commas between. */
export function parseEtcdUrl(text: string): EtcdAddress {
  const urls = text.split(',').map((part) => {
    const url = URL.canParse(part.trim()) ? new URL(part.trim()) : undefined;
    if (!url || !['http:', 'https:'].includes(url.protocol)) {
      throw new AddressError(
        'must be http:// or https:// and a host, or several of them with commas between',
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
    auth: username
      ? { username: decodeURIComponent(username), password: decodeURIComponent(password) }
      : undefined,
  };
}

/** Reads `zookeeper://host:2181,host:2181/chroot` into what its clients call a connection string. */
export function parseZookeeperUrl(text: string): string {
  const groups = /^zookeeper:\/\/(?<servers>[^/?#@]+)(?<chroot>(?:\/[A-Za-z0-9_-]+)*)\/?$/.exec(text)?.groups;
  const servers = groups?.['servers']?.split(',') ?? [];
  if (servers.length === 0 || !servers.every((server) => SERVER.test(server))) {
    throw new AddressError(
      'must be zookeeper://host:2181, with further host:port after commas, and perhaps /path',
    );
  }
  return servers.join(',') + (groups?.['chroot'] ?? '');
}
