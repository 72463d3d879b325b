import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type Socket } from 'node:net';
import { LabError, reasonOf } from '../errors.js';
import { type Destination } from './destination.js';
import { filled, type Purchase, type RequestSpec } from './request-spec.js';

/** A complete answer. */
export interface ShopAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
  /** When its first byte arrived. */
  readonly at: number;
}

export type Reply = ShopAnswer | { readonly failed: string };

const MAX_BODY_BYTES = 1_000_000;
/** For a request that is not a purchase. */
const NOBODY: Purchase = { n: 0, id: '' };

/** One request on a connection of its own, sent except for its last byte. */
export class Exchange {
  /** When the last byte was sent. */
  sentAt: number | undefined;
  readonly reply: Promise<Reply>;

  private constructor(
    private readonly request: ClientRequest,
    private readonly last: Buffer,
    signal: AbortSignal,
  ) {
    // After the answer, a connection that breaks is of no interest.
    request.on('error', () => undefined);
    this.reply = this.read(signal).catch((error: unknown) => ({
      failed: signal.aborted ? 'no answer in time' : reasonOf(error),
    }));
  }

  /** Connects and sends the request without its last byte. Only then can many requests be completed at one moment. */
  static async prepare(
    destination: Destination,
    spec: RequestSpec,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    purchase = NOBODY,
  ): Promise<Exchange> {
    const socket = await destination.connect(signal);
    const body = Buffer.from(filled(spec.body, purchase));
    const message = compose(socket, spec, headers, body, purchase);
    const exchange = new Exchange(message, body.subarray(-1), signal);
    if (body.length > 1) await flushed(message, body.subarray(0, -1));
    return exchange;
  }

  /** Sends the last byte. */
  release(): void {
    if (this.last.length > 0) this.request.end(this.last);
    else this.request.end();
    this.sentAt = performance.now();
  }

  private async read(signal: AbortSignal): Promise<ShopAnswer> {
    const give = () => this.request.destroy(new Error('no answer in time'));
    signal.addEventListener('abort', give, { once: true });
    try {
      const [response] = (await once(this.request, 'response')) as [IncomingMessage];
      const at = performance.now();
      let body = '';
      response.setEncoding('utf8');
      for await (const chunk of response) {
        body += chunk as string;
        if (body.length > MAX_BODY_BYTES) throw new LabError('an answer of more than 1 MB');
      }
      return { status: response.statusCode ?? 0, location: response.headers.location, body, at };
    } finally {
      signal.removeEventListener('abort', give);
      this.request.destroy();
    }
  }
}

function compose(
  socket: Socket,
  { method, url }: RequestSpec,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  purchase: Purchase,
): ClientRequest {
  const { host, pathname, search } = new URL(filled(url, purchase));
  const own = Object.entries(headers).map(([name, value]) => [name, filled(value, purchase)]);
  return request({
    createConnection: () => socket,
    method,
    path: pathname + search,
    headers: {
      ...(body.length > 0 && { 'content-type': 'application/json' }),
      ...(Object.fromEntries(own) as Record<string, string>),
      host,
      connection: 'close',
      ...((body.length > 0 || method === 'POST' || method === 'PUT' || method === 'PATCH') && {
        'content-length': body.length,
      }),
    },
  });
}

function flushed(message: ClientRequest, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    message.write(bytes, () => {
      resolve();
    });
  });
}

/** Sends one request that is not a purchase, and returns its answer. A redirect or a failure is an error. */
export async function ask(
  what: string,
  destination: Destination,
  spec: RequestSpec,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ShopAnswer> {
  const { method, url } = spec;
  const reply = await Exchange.prepare(destination, spec, headers, signal).then(
    (exchange) => {
      exchange.release();
      return exchange.reply;
    },
    (error: unknown) => ({ failed: reasonOf(error) }),
  );
  if ('failed' in reply) throw new LabError(`${what}: ${method} ${url} failed (${reply.failed}).`);
  const { status, location } = reply;
  if (location !== undefined && status >= 300 && status < 400)
    throw new LabError(
      `${what}: ${method} ${url} is redirected to ${location}. The probe does not follow redirects: give the final address.`,
    );
  if (status < 200 || status > 299)
    throw new LabError(
      `${what}: ${method} ${url} was answered with status ${status}. Check the address and the headers.`,
    );
  return reply;
}
