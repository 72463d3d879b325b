import { type ChaosEvidence, type LedgerRow } from '../../src/lab/chaos/evidence.js';
import { type ClientAnswer, type Call, type Operation } from '../../src/lab/chaos/history.js';
import { judge } from '../../src/lab/chaos/judge/judge.js';

/**
 * A history that a test writes by hand: goods 1 begins run 1 with 5 units. The calls follow each other every ten
 * milliseconds, unless the test gives other times. Each sale or return adds a row to the ledger.
 */
export class ChaosHistory {
  calls: Call[] = [];
  ledger: LedgerRow[] = [];
  runs = [{ id: 1, goodsId: 1, initial: 5 }];
  faults: ChaosEvidence['faults'] = [];
  verdict = 'SAFE';
  redisRemaining: number | null = null;
  inFlight = 0;
  silent: string[] = [];
  finalStock: number | undefined;
  private clock = 0;

  constructor() {
    this.call({ do: 'reset', goodsId: 1, inventory: 5 }, { status: 200, body: { runId: 1 } });
  }

  get stock(): number {
    const run = this.runs.at(-1);
    return this.ledger.findLast(({ runId }) => runId === run?.id)?.after ?? run?.initial ?? 0;
  }

  call(operation: Operation, answer?: ClientAnswer, times?: { start: number; end: number }): Call {
    const { start, end } = times ?? { start: this.clock + 1, end: this.clock + 9 };
    this.clock = Math.max(this.clock, end) + 1;
    const n = this.calls.length + 1;
    const call: Call = { n, client: 1, operation, start, end, ...(answer && { answer }) };
    this.calls.push(call);
    return call;
  }

  line(change: Partial<LedgerRow> = {}): LedgerRow {
    const row: LedgerRow = {
      id: this.ledger.length + 1,
      kind: 'SALE',
      runId: this.runs.at(-1)?.id ?? 0,
      goodsId: 1,
      strategy: 'sql-atomic',
      quantity: 1,
      key: null,
      before: this.stock,
      after: this.stock - (change.kind === 'RETURN' ? -(change.quantity ?? 1) : (change.quantity ?? 1)),
      cancels: null,
      number: null,
      segment: null,
      told: null,
      ...change,
    };
    this.ledger.push(row);
    return row;
  }

  /** An acknowledged sale with its row in the ledger. */
  sell({
    key,
    quantity = 1,
    strategy = 'sql-atomic',
  }: { key?: string; quantity?: number; strategy?: string } = {}): LedgerRow {
    const row = this.line({ quantity, strategy, key: key ?? null });
    this.call(sale({ key, quantity, strategy }), receipt(row));
    return row;
  }

  cancel(row: LedgerRow): LedgerRow {
    const back = this.line({ kind: 'RETURN', quantity: row.quantity, cancels: row.id });
    this.call({ do: 'cancel', orderId: row.id }, cancelled(back, true));
    return back;
  }

  reset(inventory: number): void {
    const id = this.runs.length + 1;
    this.runs.push({ id, goodsId: 1, initial: inventory });
    this.call({ do: 'reset', goodsId: 1, inventory }, { status: 200, body: { runId: id } });
  }

  get violations(): string[] {
    const runId = this.runs.at(-1)?.id ?? 0;
    const { redisRemaining, inFlight } = this;
    const audit = { verdict: this.verdict as 'SAFE', runId, redisRemaining, inFlight };
    const evidence: ChaosEvidence = {
      calls: this.calls,
      ledger: this.ledger,
      runs: this.runs,
      finals: [{ goodsId: 1, runId, inventory: this.finalStock ?? this.stock, segments: [], audit }],
      faults: this.faults,
      strategies: [
        { name: 'sql-atomic', safe: 'always', stock: 'mysql' },
        { name: 'setnx-lua', safe: 'while-the-lease-holds', stock: 'mysql' },
        { name: 'redis-lua', safe: 'always', stock: 'redis' },
        { name: 'no-lock', safe: 'never', stock: 'mysql' },
      ],
      silent: this.silent,
    };
    return judge(evidence).violations.map(({ promise, sentence }) => `${promise}: ${sentence}`);
  }
}

export function sale(of: { key?: string | undefined; quantity?: number; strategy?: string } = {}): Operation {
  const { key, quantity = 1, strategy = 'sql-atomic' } = of;
  return { do: 'sell', strategy, items: [{ goodsId: 1, quantity }], key };
}

export function receipt(row: LedgerRow, more: Partial<ClientAnswer> = {}): ClientAnswer {
  const { id, number, strategy, quantity, after, told } = row;
  const body = { orderId: number ?? id, goodsId: 1, strategy, quantity, remaining: told ?? after };
  return { status: 200, body, ...more };
}

export function cancelled({ id, after, quantity, cancels }: LedgerRow, returned: boolean): ClientAnswer {
  return { status: 200, body: { orderId: cancels, returnId: id, quantity, remaining: after, returned } };
}

export const SOLD_OUT: ClientAnswer = { status: 409, type: 'sold-out', body: { goodsId: 1 } };
export const UNAVAILABLE: ClientAnswer = { status: 503, type: 'engine-unavailable' };

/** The violations that the judge finds in the history. */
export function broken(write: (history: ChaosHistory) => void): string[] {
  const history = new ChaosHistory();
  write(history);
  return history.violations;
}
