import { lookup } from 'node:dns/promises';
import { BlockList, connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { LabError, reasonOf, UsageError } from '../errors.js';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** An address of the user's service: its name is resolved once, and every connection goes to that result. */
export class Destination {
  private constructor(
    readonly origin: string,
    private readonly host: string,
    private readonly address: string,
    private readonly port: number,
    private readonly secure: boolean,
  ) {}

  /** Resolves the host, refuses one that is not allowed, and finds an address of it that answers. */
  static async find(url: URL, allowed: readonly string[], signal: AbortSignal): Promise<Destination> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const secure = url.protocol === 'https:';
    const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
    const addresses = await resolve(host);
    if (!isAllowed(host, addresses, allowed))
      throw new UsageError(
        `${host} is not on this machine. The probe sends many purchases at once, so it calls other machines only ` +
          `when you allow it: --allow-host ${host}.`,
      );
    let why = '';
    for (const address of addresses) {
      const found = new Destination(url.origin, host, address, port, secure);
      try {
        (await found.connect(signal)).destroy();
        return found;
      } catch (error) {
        why = reasonOf(error);
      }
    }
    throw new LabError(`No connection to ${url.origin} (${why}). Start your service, or check the address.`);
  }

  /** Opens a connection; rejects when it fails, or when the signal is aborted first. */
  connect(signal: AbortSignal): Promise<Socket> {
    const { host, address, port } = this;
    // A name is checked against the certificate; the SNI extension has names only.
    const socket = this.secure
      ? connectTls({ host: address, port, ...(isIP(host) === 0 && { servername: host }) })
      : connectTcp({ host: address, port });
    socket.setNoDelay(true);
    return new Promise((opened, failed) => {
      const onAbort = () => socket.destroy(new Error('no connection in time'));
      socket.once(this.secure ? 'secureConnect' : 'connect', () => {
        signal.removeEventListener('abort', onAbort);
        opened(socket);
      });
      // Also after the connection was opened: then the request reports the error.
      socket.on('error', failed);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

async function resolve(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new LabError(`The name ${host} cannot be resolved (${reasonOf(error)}). Check the address.`);
  }
}

/** A name in the list may lead anywhere; any other one must lead to this machine only. */
function isAllowed(host: string, addresses: readonly string[], allowed: readonly string[]): boolean {
  return (
    allowed.includes(host.toLowerCase()) ||
    addresses.every((address) => LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'))
  );
}
