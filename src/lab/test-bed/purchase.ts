import { BUYER_HEADER } from '../../checkpoints/checkpoint-protocol.js';
import { reasonOf } from '../errors.js';

/** The outcome of a purchase as the client sees it. */
export type PurchaseResult =
  | {
      readonly kind: 'sold';
      readonly orderId: number;
      readonly remaining: number;
      readonly cancelToken: string;
    }
  | { readonly kind: 'refused'; readonly status: number; readonly type: string }
  | { readonly kind: 'unknown'; readonly why: string };

export interface PurchaseRequest {
  readonly strategy: string;
  readonly goodsId: number;
  readonly quantity?: number;
  readonly key?: string;
  /** Send it as a basket with one line. */
  readonly basket?: boolean;
  /** Send it through this address instead of the instance's own, such as a proxy that can drop the connection. */
  readonly via?: string;
}

interface Receipt {
  readonly orderId: number;
  readonly remaining: number;
  readonly cancelToken: string;
}

/** Longer than any pause of an instance, and than a Sentinel failover. */
const LONGEST_MS = 60_000;

/** Sends the purchase to the instance at `url`. The instance reports checkpoints under the name `buyer`. */
export async function send(
  purchase: PurchaseRequest,
  url: string,
  buyer: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<PurchaseResult> {
  const { strategy, goodsId, quantity = 1, key, basket = false, via = url } = purchase;
  const path = basket ? `/orders/${strategy}` : `/goods/${goodsId}/deduct/${strategy}`;
  const wanted = basket ? { items: [{ goodsId, quantity }] } : { quantity };
  try {
    const response = await fetch(`${via}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [BUYER_HEADER]: buyer,
        ...headers,
        connection: 'close',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: JSON.stringify(wanted),
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    const body = (await response.json()) as Receipt & { orders?: Receipt[]; type: string };
    const { orderId, remaining, cancelToken } = body.orders?.[0] ?? body;
    if (response.ok) return { kind: 'sold', orderId, remaining, cancelToken };
    if (response.status === 504) return { kind: 'unknown', why: body.type };
    return { kind: 'refused', status: response.status, type: body.type };
  } catch (error) {
    return { kind: 'unknown', why: reasonOf(error) };
  }
}

export function tell(answer: PurchaseResult): string {
  switch (answer.kind) {
    case 'sold':
      return `sold, ${answer.remaining} left`;
    case 'refused':
      return `${answer.status} ${answer.type}`;
    case 'unknown':
      return `no answer (${answer.why})`;
  }
}
