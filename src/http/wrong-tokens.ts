import { isIPv6 } from 'node:net';

/** Wrong tokens without a wait: people paste the wrong token. */
const FREE = 10;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** After this long without a wrong token, the client starts again from zero. */
const FORGET_MS = 600_000;
/** Clients that are remembered; the one that failed longest ago is dropped first. */
const MAX_CLIENTS = 1000;

interface Failures {
  count: number;
  at: number;
}

/** Makes guessing slow: after some wrong tokens, a client waits before its next token is even compared. */
export class WrongTokens {
  private readonly clients = new Map<string, Failures>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Seconds that the client has to wait; 0 when its token may be compared. */
  waitOf(address: string): number {
    const failures = this.clients.get(networkOf(address));
    if (!failures || failures.count < FREE) return 0;
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (failures.count - FREE), LONGEST_WAIT_MS);
    return Math.max(0, Math.ceil((failures.at + waitMs - this.now()) / 1000));
  }

  wrong(address: string): void {
    const network = networkOf(address);
    const at = this.now();
    const earlier = this.clients.get(network);
    const count = earlier && at - earlier.at < FORGET_MS ? earlier.count + 1 : 1;
    // Deleted and added again, the entry is the newest one of the map.
    this.clients.delete(network);
    this.clients.set(network, { count, at });
    const [oldest] = this.clients.keys();
    if (this.clients.size > MAX_CLIENTS && oldest !== undefined) this.clients.delete(oldest);
  }

  right(address: string): void {
    this.clients.delete(networkOf(address));
  }
}

/** One client with IPv6 has a whole /64 network of addresses. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail.split(':').filter(Boolean);
  const zeros = address.includes('::') ? Array<string>(8 - groups.length - rest.length).fill('0') : [];
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}
