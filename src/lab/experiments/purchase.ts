import { BUYER_HEADER } from '../../checkpoints/director-protocol.js';
import { reasonOf } from '../errors.js';

/** What a buyer was told in the end. */
export type Answer =
  | {
      readonly kind: 'sold';
      readonly orderId: number;
      readonly remaining: number;
      readonly cancelToken: string;
    }
  | { readonly kind: 'refused'; readonly status: number; readonly type: string }
  | { readonly kind: 'unknown'; readonly why: string };

export interface Purchase {
  readonly strategy: string;
  readonly goodsId: number;
  readonly quantity?: number;
  readonly key?: string;
  /** Asked for as a basket of one line. */
  readonly basket?: boolean;
  /** Another way to the instance than its own address, such as through a wire that can be cut. */
  readonly via?: string;
}

interface Receipt {
  readonly orderId: number;
  readonly remaining: number;
  readonly cancelToken: string;
}

/** Longer than a buyer's instance stands still in any experiment, and than Sentinels take for a failover. */
const LONGEST_MS = 60_000;

/** Asks the instance at `url`, under the name by which it reports the buyer to the director. */
export async function send(purchase: Purchase, url: string, buyer: string): Promise<Answer> {
  const { strategy, goodsId, quantity = 1, key, basket = false, via = url } = purchase;
  const path = basket ? `/orders/${strategy}` : `/goods/${goodsId}/deduct/${strategy}`;
  const wanted = basket ? { items: [{ goodsId, quantity }] } : { quantity };
  try {
    const response = await fetch(`${via}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [BUYER_HEADER]: buyer,
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

export function tell(answer: Answer): string {
  switch (answer.kind) {
    case 'sold':
      return `sold, ${answer.remaining} left`;
    case 'refused':
      return `${answer.status} ${answer.type}`;
    case 'unknown':
      return `no answer (${answer.why})`;
  }
}
