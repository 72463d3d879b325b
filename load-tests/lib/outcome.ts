import { isProblem, receiptsIn } from '../../src/contract/guards.ts';

/** What a buyer knows of a purchase: it was sold, it surely was not, or the outcome is unknown. */
export type Outcome =
  | { readonly kind: 'ok'; readonly orderId: number }
  | { readonly kind: 'sold-out' }
  /** 503 or 429: nothing was sold, and the buyer may retry. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'unknown' }
  /** No answer that a shop gives to a proper purchase. Whether it sold is unknown as well. */
  | { readonly kind: 'unexpected'; readonly what: string };

export type Kind = Outcome['kind'];

export interface Answer {
  /** 0 when there was no answer. */
  readonly status: number;
  readonly body: unknown;
}

export function outcomeOf({ status, body }: Answer): Outcome {
  switch (status) {
    case 200: {
      const [receipt] = receiptsIn(body) ?? [];
      if (receipt) return { kind: 'ok', orderId: receipt.orderId };
      return { kind: 'unexpected', what: '200 without a receipt' };
    }
    case 409:
      if (isProblem(body) && body.type === 'sold-out') return { kind: 'sold-out' };
      break;
    case 503:
      return { kind: 'refused' };
    case 0:
    case 502:
    case 504:
      return { kind: 'unknown' };
  }
  return { kind: 'unexpected', what: isProblem(body) ? `${status} ${body.type}` : String(status) };
}

export interface Storm {
  readonly outcome: Outcome;
  /** Sales of the copies beyond the first. */
  readonly duplicates: number;
}

/**
 * The outcome of one purchase that was sent several times with one key. It is sold once: every receipt is the same. A copy
 * without an answer may sell later, so after it only a receipt settles the purchase.
 */
export function outcomeOfCopies(copies: readonly Outcome[]): Storm {
  const first = (kind: Kind) => copies.find((copy) => copy.kind === kind);
  const orders = new Set(copies.map((copy) => (copy.kind === 'ok' ? copy.orderId : undefined)));
  orders.delete(undefined);
  const outcome =
    first('ok') ?? first('unexpected') ?? first('unknown') ?? first('sold-out') ?? first('refused');
  return { outcome: outcome ?? { kind: 'unknown' }, duplicates: Math.max(0, orders.size - 1) };
}
