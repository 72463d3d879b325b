import { Agent, request } from 'undici';
import { type ClientAnswer, type Call, type History, type Item, type Operation } from '../history.js';

/** Longer than the gateway waits for an instance: its 504 says more than a timeout of the client. */
const ANSWER_WITHIN_MS = 40_000;

interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends the requests of all clients to the gateway and records each of them. */
export class ShopClient {
  private readonly agent = new Agent({
    headersTimeout: ANSWER_WITHIN_MS,
    bodyTimeout: ANSWER_WITHIN_MS,
    pipelining: 1,
  });

  constructor(
    readonly url: string,
    private readonly adminToken: string,
    readonly history: History,
  ) {}

  sell(client: number, goodsId: number, strategy: string, quantity: number, key?: string): Promise<Call> {
    return this.call(
      client,
      { do: 'sell', strategy, items: [{ goodsId, quantity }], key },
      {
        method: 'POST',
        path: `/goods/${goodsId}/deduct/${strategy}`,
        body: { quantity },
        headers: keyHeader(key),
      },
    );
  }

  basket(client: number, strategy: string, items: readonly Item[], key?: string): Promise<Call> {
    return this.call(
      client,
      { do: 'basket', strategy, items, key },
      {
        method: 'POST',
        path: `/orders/${strategy}`,
        body: { items },
        headers: keyHeader(key),
      },
    );
  }

  /** `token` is the receipt's secret, where receipts have one. */
  cancel(client: number, orderId: number, token?: string, forged?: boolean): Promise<Call> {
    return this.call(
      client,
      { do: 'cancel', orderId, forged },
      {
        method: 'POST',
        path: `/orders/${orderId}/cancel`,
        body: token === undefined ? {} : { cancelToken: token },
      },
    );
  }

  reset(client: number, goodsId: number, inventory: number): Promise<Call> {
    return this.call(
      client,
      { do: 'reset', goodsId, inventory },
      {
        method: 'POST',
        path: `/goods/${goodsId}/reset`,
        body: { inventory },
        headers: { authorization: `Bearer ${this.adminToken}` },
      },
    );
  }

  read(client: number, goodsId: number): Promise<Call> {
    return this.call(client, { do: 'read', goodsId }, { method: 'GET', path: `/goods/${goodsId}` });
  }

  list(client: number): Promise<Call> {
    return this.call(client, { do: 'list' }, { method: 'GET', path: '/goods' });
  }

  strategies(client: number): Promise<Call> {
    return this.call(client, { do: 'strategies' }, { method: 'GET', path: '/strategies' });
  }

  health(client: number): Promise<Call> {
    return this.call(client, { do: 'health' }, { method: 'GET', path: '/health/ready' });
  }

  audit(client: number, goodsId: number): Promise<Call> {
    return this.call(client, { do: 'audit', goodsId }, { method: 'GET', path: `/goods/${goodsId}/audit` });
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private call(client: number, operation: Operation, sent: HttpRequest): Promise<Call> {
    return this.history.record(client, operation, () => this.send(sent).catch(() => undefined));
  }

  private async send({ method, path, body, headers }: HttpRequest): Promise<ClientAnswer> {
    const response = await request(`${this.url}${path}`, {
      dispatcher: this.agent,
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const content = parsed(await response.body.text());
    const type = (content as { type?: unknown } | undefined)?.type;
    const { 'idempotent-replayed': replayed } = response.headers;
    return {
      status: response.statusCode,
      body: content,
      ...(typeof type === 'string' && { type }),
      ...(replayed === 'true' && { replayed: true }),
    };
  }
}

function keyHeader(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { 'idempotency-key': key };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
