/** A client's request, with everything that the judge needs to know about it. */
export type Operation =
  | {
      readonly do: 'sell' | 'basket';
      readonly strategy: string;
      readonly items: readonly Item[];
      readonly key?: string | undefined;
    }
  | { readonly do: 'cancel'; readonly orderId: number; readonly forged?: boolean | undefined }
  | { readonly do: 'reset'; readonly goodsId: number; readonly inventory: number }
  | { readonly do: 'read' | 'audit'; readonly goodsId: number }
  | { readonly do: 'list' | 'strategies' | 'health' }
  | { readonly do: 'malformed'; readonly kind: string };

export interface Item {
  readonly goodsId: number;
  readonly quantity: number;
}

export interface ClientAnswer {
  readonly status: number;
  /** The `type` of a problem document. */
  readonly type?: string | undefined;
  /** The parsed JSON; undefined when the body is none. */
  readonly body?: unknown;
  readonly replayed?: boolean | undefined;
}

/** One request. Times are milliseconds of one monotonic clock, since the round began. */
export interface Call {
  readonly n: number;
  readonly client: number;
  readonly operation: Operation;
  readonly start: number;
  /** When the client got its answer, or stopped waiting for one. */
  readonly end: number;
  /** Absent when the connection broke or the client stopped waiting. */
  readonly answer?: ClientAnswer | undefined;
}

export type SellCall = Call & { readonly operation: Extract<Operation, { do: 'sell' | 'basket' }> };
export type CancelCall = Call & { readonly operation: Extract<Operation, { do: 'cancel' }> };

export function isSell(call: Call): call is SellCall {
  return call.operation.do === 'sell' || call.operation.do === 'basket';
}

export function isCancel(call: Call): call is CancelCall {
  return call.operation.do === 'cancel';
}

/** What a client knows: it happened, it surely did not happen, or the outcome is unknown. */
export function outcomeOf({ answer }: Call): 'done' | 'refused' | 'unknown' {
  if (!answer) return 'unknown';
  const { status, type } = answer;
  if (status >= 200 && status < 300) return 'done';
  if (type === 'outcome-unknown') return 'unknown';
  return status === 503 || (status >= 400 && status < 500) ? 'refused' : 'unknown';
}

/** The part of a receipt that the judge compares with the ledger. */
export interface ClientReceipt {
  readonly orderId: number;
  readonly goodsId: number;
  readonly strategy: string;
  readonly quantity: number;
  readonly remaining: number;
  readonly cancelToken?: string;
  /** Of a replay: the order has been cancelled since. */
  readonly cancelled?: boolean;
}

/** The receipts of a sale that was answered with 2xx: one for each line of its basket. */
export function receiptsOf(call: Call): readonly ClientReceipt[] {
  if (!isSell(call) || outcomeOf(call) !== 'done') return [];
  const body = call.answer?.body as Partial<ClientReceipt> & { readonly orders?: readonly ClientReceipt[] };
  return body.orders ?? (typeof body.orderId === 'number' ? [body as ClientReceipt] : []);
}

/** Collects the calls of all clients. */
export class History {
  readonly calls: Call[] = [];
  private readonly began = performance.now();
  private next = 1;

  /** Milliseconds since the round began. */
  get now(): number {
    return Math.round(1000 * (performance.now() - this.began)) / 1000;
  }

  /** Records a request; `send` resolves with undefined when there was no answer. */
  async record(
    client: number,
    operation: Operation,
    send: () => Promise<ClientAnswer | undefined>,
  ): Promise<Call> {
    const n = this.next;
    this.next += 1;
    const start = this.now;
    const answer = await send();
    const call: Call = { n, client, operation, start, end: this.now, ...(answer && { answer }) };
    this.calls.push(call);
    return call;
  }
}
