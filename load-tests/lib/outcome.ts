import { isProblem, receiptsIn } from '../../src/contract/guards.ts';

/** What a buyer knows of a purchase: it happened, it surely did not, or nobody can say. */
export type Outcome =
  | { readonly kind: 'ok'; readonly orderId: number }
  | { readonly kind: 'sold-out' }
  /** Told to come back later: nothing happened. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'unknown' }
  /** No answer that a shop gives to a proper purchase. Whether it sold is unknown as well. */
  | { readonly kind: 'unexpected'; readonly what: string };

export type Kind = Outcome['kind'];

export interface Answer {
  /** 0 where no answer came. */
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
  /** Sales beyond the first that the copies of one purchase were given. */
  readonly duplicates: number;
}

/**
 * One purchase that was sent several times under one key. It is sold once: every receipt is the same. A copy that
 * nobody answered may sell later, so from then on only a receipt settles the purchase.
 */
export function outcomeOfCopies(copies: readonly Outcome[]): Storm {
  const first = (kind: Kind) => copies.find((copy) => copy.kind === kind);
  const orders = new Set(copies.map((copy) => (copy.kind === 'ok' ? copy.orderId : undefined)));
  orders.delete(undefined);
  const outcome =
    first('ok') ?? first('unexpected') ?? first('unknown') ?? first('sold-out') ?? first('refused');
  return { outcome: outcome ?? { kind: 'unknown' }, duplicates: Math.max(0, orders.size - 1) };
}
