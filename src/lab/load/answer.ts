import { isReceipt } from '../../contract/guards.js';
import { type Receipt } from '../../contract/receipt.js';

/** What a buyer knows after one request: sold, surely not sold, or unknown. */
export type BuyerAnswer =
  | { readonly kind: 'sold'; readonly receipt: Receipt }
  | { readonly kind: 'soldOut' }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly type: string;
      readonly retryAfterMs?: number;
    }
  | { readonly kind: 'unknown'; readonly why: string };

/** The retry time where the answer has no Retry-After. */
const DEFAULT_RETRY_AFTER_S = 1;

/** Reads one HTTP answer. It counts as a refusal only when its status promises that nothing was sold. */
export function readAnswer(status: number, body: string, retryAfter: string | undefined): BuyerAnswer {
  const content = parse(body);
  if (status === 200) {
    return isReceipt(content)
      ? { kind: 'sold', receipt: content }
      : { kind: 'unknown', why: 'a receipt that cannot be read' };
  }
  const type = 'type' in content && typeof content.type === 'string' ? content.type : '';
  if (status === 409 && type === 'sold-out') return { kind: 'soldOut' };
  if (type === 'outcome-unknown' || status < 400 || (status >= 500 && status !== 503)) {
    return { kind: 'unknown', why: type || `status ${status}` };
  }
  if (status !== 503 && status !== 429) return { kind: 'refused', status, type };
  const seconds = Number(retryAfter ?? DEFAULT_RETRY_AFTER_S);
  return {
    kind: 'refused',
    status,
    type,
    retryAfterMs: 1000 * (Number.isFinite(seconds) ? seconds : DEFAULT_RETRY_AFTER_S),
  };
}

function parse(body: string): object {
  try {
    const content: unknown = JSON.parse(body);
    return typeof content === 'object' && content !== null ? content : {};
  } catch {
    return {};
  }
}
