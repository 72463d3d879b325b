import { setTimeout as sleep } from 'node:timers/promises';
import { BUYER_HEADER } from '../../src/checkpoints/checkpoint-protocol.js';
import { type SignedReceipt } from '../../src/contract/receipt.js';
import { type TestShop } from './test-shop.js';

/** The outcome of a purchase: sold, certainly not sold, or unknown. */
export type Outcome =
  | { readonly kind: 'sold'; readonly receipt: SignedReceipt; readonly replayed: boolean }
  | { readonly kind: 'sold-out' }
  | { readonly kind: 'refused'; readonly status: number; readonly type: string }
  | { readonly kind: 'unknown'; readonly why: string };

export interface Purchase {
  readonly strategy: string;
  readonly goodsId?: number;
  readonly quantity?: number;
  /** One piece of each of these goods, in one order; the receipt is that of the first line. */
  readonly basket?: readonly number[];
  readonly key?: string;
  readonly signal?: AbortSignal;
  /** Where to buy; the gateway unless an instance is named. */
  readonly at?: string;
  /** The name by which armed checkpoints know the request. */
  readonly buyer?: string;
}

export async function buy(shop: TestShop, purchase: Purchase): Promise<Outcome> {
  const { strategy, goodsId = 1, quantity = 1, key, signal, at = shop.url, buyer, basket } = purchase;
  const [path, wanted] = basket
    ? [`/orders/${strategy}`, { items: basket.map((id) => ({ goodsId: id, quantity: 1 })) }]
    : [`/goods/${goodsId}/deduct/${strategy}`, { quantity }];
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(`${at}${path}`, {
      method: 'POST',
      headers: {
        ...shop.headers,
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(buyer !== undefined && { [BUYER_HEADER]: buyer }),
      },
      body: JSON.stringify(wanted),
      ...(signal && { signal }),
    });
    body = await response.json();
  } catch (error) {
    return { kind: 'unknown', why: (error as Error).message };
  }
  if (response.ok) {
    return {
      kind: 'sold',
      receipt: basket ? (body as { orders: [SignedReceipt] }).orders[0] : (body as SignedReceipt),
      replayed: response.headers.get('idempotent-replayed') === 'true',
    };
  }
  const { type } = body as { type: string };
  if (response.status === 409 && type === 'sold-out') return { kind: 'sold-out' };
  if (response.status === 502 || response.status === 504) return { kind: 'unknown', why: type };
  return { kind: 'refused', status: response.status, type };
}

const PATIENCE_MS = 40_000;

/** A buyer that retries after each 503, as Retry-After says, until it has another answer. */
export async function buyPatiently(shop: TestShop, purchase: Purchase): Promise<Outcome> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const outcome = await buy(shop, purchase);
    if (outcome.kind !== 'refused' || outcome.status !== 503 || performance.now() > giveUpAt) return outcome;
    await sleep(50 + Math.random() * 100);
  }
}

/** All buyers at the same time. */
export function crowd(size: number, act: (index: number) => Promise<Outcome>): Promise<Outcome[]> {
  return Promise.all(Array.from({ length: size }, (_, index) => act(index)));
}

export function count(outcomes: readonly Outcome[], kind: Outcome['kind']): number {
  return outcomes.filter((outcome) => outcome.kind === kind).length;
}

export function receipts(outcomes: readonly Outcome[]): SignedReceipt[] {
  return outcomes.flatMap((outcome) => (outcome.kind === 'sold' ? [outcome.receipt] : []));
}

/** The same by number, for comparing with the ledger. */
export function orderIds(outcomes: readonly Outcome[]): number[] {
  return receipts(outcomes)
    .map(({ orderId }) => orderId)
    .sort((a, b) => a - b);
}
