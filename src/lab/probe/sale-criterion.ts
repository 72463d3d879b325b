import { UsageError } from '../errors.js';
import { type ShopAnswer, type Reply } from './exchange.js';
import { jsonIn, JsonPath } from './json-path.js';

/** Which answers are sales. */
export interface SaleCriterion {
  /** `2xx`, or single statuses. */
  readonly statuses: readonly string[];
  readonly when: { readonly path: JsonPath; readonly value: string } | undefined;
}

/** What the buyer knows after its request. `unclear`: an answer that says neither; `unanswered`: it may still be sold to. */
export type PurchaseOutcome =
  | { readonly kind: 'sold'; readonly receipt: string | undefined }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unclear' | 'unanswered'; readonly why: string };

const STATUS = /^(?:[1-5]\d\d|[1-5]xx)$/;

export function saleCriterion(statuses: string, when: string | undefined): SaleCriterion {
  const listed = statuses.split(',').map((status) => status.trim());
  const wrong = listed.find((status) => !STATUS.test(status));
  if (wrong !== undefined)
    throw new UsageError(
      `--sold-status must be statuses such as 200,201 or 2xx, not ${JSON.stringify(wrong)}.`,
    );
  const [, path, value] = /^(\$[^=]*)=([^]*)$/.exec(when ?? '') ?? [];
  if (when !== undefined && (path === undefined || value === undefined))
    throw new UsageError(
      `--sold-when must be a place and its value, such as '$.status=confirmed', not ${JSON.stringify(when)}.`,
    );
  return {
    statuses: listed,
    when:
      path === undefined || value === undefined
        ? undefined
        : { path: JsonPath.parse('sold-when', path.trim()), value: value.trim() },
  };
}

/** Other answers with 2xx or 4xx are refusals. A server error or a redirect may come after the sale. */
export function outcomeOf(
  reply: Reply,
  { statuses, when }: SaleCriterion,
  receipt: JsonPath | undefined,
): PurchaseOutcome {
  if ('failed' in reply) return { kind: 'unanswered', why: reply.failed };
  const { status, body } = reply;
  const hasStatus = statuses.some(
    (wanted) => wanted === String(status) || wanted === `${String(status)[0] ?? ''}xx`,
  );
  if (!hasStatus) return refusalOf(reply);
  const content = jsonIn(body);
  if ((when !== undefined || receipt !== undefined) && content === undefined)
    return { kind: 'unclear', why: `status ${status} with a body that is not JSON` };
  if (when && textOf(when.path.in(content)) !== when.value)
    return { kind: 'refused', why: `status ${status} without ${when.path.text}=${when.value}` };
  return { kind: 'sold', receipt: receipt && textOf(receipt.in(content)) };
}

function refusalOf({ status, location }: ShopAnswer): PurchaseOutcome {
  const kind = Math.floor(status / 100);
  if (kind === 2 || kind === 4) return { kind: 'refused', why: `status ${status}` };
  const where = location === undefined ? '' : ` to ${location}, not followed`;
  return { kind: 'unclear', why: `status ${status}${where}` };
}

/** Undefined for what is no single value. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
