const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;

export interface Caller {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/**
 * The names under which the service may be called. A page of another site must neither buy nor read. The browser sends the
 * site of the page as Origin; and a foreign name that resolves to this machine arrives as a Host that is not in the list.
 */
export class AllowedHosts {
  private readonly names: ReadonlySet<string>;

  /** Names or `name:port`; loopback names are always allowed. */
  constructor(names: readonly string[] = []) {
    this.names = new Set([...LOOPBACK, ...names.map((name) => name.toLowerCase())]);
  }

  /** Why the request is refused; undefined when it is not. */
  refusalOf({ host = '', origin }: Caller): string | undefined {
    const asked = host.toLowerCase();
    const name = HOST.exec(asked)?.[1];
    if (name === undefined || !(this.names.has(name) || this.names.has(asked))) {
      return 'The Host of this request is not allowed. ALLOWED_HOSTS lists the names that are.';
    }
    if (origin !== undefined && origin !== `http://${asked}` && origin !== `https://${asked}`) {
      return 'This request comes from a page of another site.';
    }
    return undefined;
  }
}
