import { type IncomingMessage } from 'node:http';
import { AllowedHosts } from '../../http/allowed-hosts.js';
import { BearerToken } from '../../http/bearer.js';
import { isJson } from '../../http/foreign-requests.js';
import { WrongTokens } from '../../http/wrong-tokens.js';
import { Refusal } from './refusal.js';

/** Only pages that the gateway serves on this machine may call the lab. A POST also needs the admin token. */
export class Access {
  private readonly hosts = new AllowedHosts();
  private readonly token: BearerToken;
  private readonly wrongTokens = new WrongTokens();

  constructor(adminToken: string) {
    this.token = new BearerToken(adminToken);
  }

  refuseForeignRequest({ headers }: IncomingMessage): void {
    const refusal = this.hosts.refusalOf(headers);
    if (refusal !== undefined) throw new Refusal(403, 'forbidden', refusal);
  }

  /** Refuses a POST without the token, or whose body is not JSON. */
  admit(request: IncomingMessage): void {
    this.requireToken(request);
    if (!isJson(request.headers['content-type'])) {
      throw new Refusal(415, 'invalid-request', 'The body must be application/json.');
    }
  }

  private requireToken(request: IncomingMessage): void {
    const { authorization } = request.headers;
    const client = clientOf(request);
    const wait = this.wrongTokens.waitOf(client);
    if (wait > 0) {
      throw new Refusal(
        429,
        'too-many-requests',
        `Too many wrong tokens came from this address. Try again after ${wait} s.`,
        {},
        { 'retry-after': String(wait) },
      );
    }
    if (this.token.isIn(authorization)) {
      this.wrongTokens.right(client);
      return;
    }
    if (authorization !== undefined) this.wrongTokens.wrong(client);
    throw new Refusal(
      401,
      'unauthorized',
      'This call needs the header Authorization: Bearer <admin token>.',
      {},
      { 'www-authenticate': 'Bearer' },
    );
  }
}

/** The client's address. The gateway writes it; only clients on this machine reach the lab without the gateway. */
export function clientOf({ headers, socket }: IncomingMessage): string {
  const forwarded = headers['x-forwarded-for'];
  return typeof forwarded === 'string' ? forwarded : (socket.remoteAddress ?? '');
}
