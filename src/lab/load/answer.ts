/** What a buyer knows after one request: it happened, it surely did not, or nobody can say. */
export type BuyerAnswer =
  | { readonly kind: 'sold'; readonly receipt: CountedReceipt }
  | { readonly kind: 'soldOut' }
  | { readonly kind: 'refused'; readonly status: number; readonly type: string; readonly comeBackMs?: number }
  | { readonly kind: 'unknown'; readonly why: string };

export const OUTCOMES = ['sold', 'soldOut', 'refused', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];
export type Outcomes = Readonly<Record<Outcome, number>>;

/** The part of a receipt that is counted. */
export interface CountedReceipt {
  readonly orderId: number;
  readonly remaining: number;
  readonly attempts: number;
  readonly waitedMs: number;
}

/** What a client that is told to come back waits at least, where nobody says how long. */
const DEFAULT_RETRY_AFTER_S = 1;

/** Reads one HTTP answer. Only a status that promises that nothing happened counts as a refusal. */
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
    comeBackMs: 1000 * (Number.isFinite(seconds) ? seconds : DEFAULT_RETRY_AFTER_S),
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

function isReceipt(content: object): content is CountedReceipt {
  return ['orderId', 'remaining', 'attempts', 'waitedMs'].every(
    (name) => typeof (content as Record<string, unknown>)[name] === 'number',
  );
}
