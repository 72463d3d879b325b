import { type IncomingMessage } from 'node:http';
import { AllowedHosts } from '../../http/allowed-hosts.js';
import { BearerToken } from '../../http/bearer.js';
import { isJson } from '../../http/door.js';
import { WrongTokens } from '../../http/wrong-tokens.js';
import { invalid, Refusal } from './refusal.js';

const BODY_LIMIT = 16 * 1024;

/** Who may call the lab: pages that the gateway serves on this machine; to change something, with the admin token. */
export class Door {
  private readonly hosts = new AllowedHosts();
  private readonly token: BearerToken;
  private readonly wrongTokens = new WrongTokens();

  constructor(adminToken: string) {
    this.token = new BearerToken(adminToken);
  }

  refuseStrangers({ headers }: IncomingMessage): void {
    const refusal = this.hosts.refusalOf(headers);
    if (refusal !== undefined) throw new Refusal(403, 'forbidden', refusal);
  }

  /** The body of a POST by a client that may send one. */
  async admit(request: IncomingMessage): Promise<unknown> {
    this.requireToken(request);
    if (!isJson(request.headers['content-type'])) {
      throw new Refusal(415, 'invalid-request', 'The body must be application/json.');
    }
    const text = await readBody(request);
    if (text === '') return {};
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw invalid('The body is not JSON.');
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

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) {
      throw new Refusal(413, 'invalid-request', `The body is larger than ${BODY_LIMIT} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
