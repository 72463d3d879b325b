import { type ChaosEvidence, type LedgerRow, type RunRow } from '../evidence.js';
import {
  type Call,
  type CancelCall,
  isCancel,
  isSell,
  outcomeOf,
  type ClientReceipt,
  receiptsOf,
  type SellCall,
} from '../history.js';
import { groupBy } from './group-by.js';

/** The time within which something took effect; `end` is Infinity when there was no answer. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** One receipt, and the call that got it. */
export interface Acknowledgement {
  readonly call: SellCall;
  readonly receipt: ClientReceipt;
}

/** What happened to one goods between two resets. */
export interface IndexedRun extends RunRow {
  /** In the order of their ids. */
  readonly rows: readonly LedgerRow[];
  /** When the run can have begun, and when the next one can have. */
  readonly began: Interval;
  readonly ended: Interval;
  /** Whether all strategies that sold in this run promise to be safe under the faults of the round. */
  readonly promised: boolean;
  /** Whether this is the current run of its goods. */
  readonly last: boolean;
}

/** The strategy that answers as soon as Redis has the order. */
const ACCEPTS_IN_REDIS = 'redis-lua';

const NEVER: Interval = { start: Infinity, end: Infinity };

/** The evidence, indexed: which call made which line of the ledger, and when. */
export class IndexedEvidence {
  readonly sells: readonly SellCall[];
  readonly cancels: readonly CancelCall[];
  readonly runs: ReadonlyMap<number, IndexedRun>;
  readonly sales: ReadonlyMap<number, LedgerRow>;
  readonly acknowledgements: ReadonlyMap<number, readonly Acknowledgement[]>;
  readonly cancelsOf: ReadonlyMap<number, readonly CancelCall[]>;
  private readonly enabled: ReadonlySet<string>;
  private readonly sellsOfKey: ReadonlyMap<string, readonly SellCall[]>;
  private readonly saleById: ReadonlyMap<number, LedgerRow>;
  private readonly intervals = new Map<number, Interval>();

  constructor(readonly evidence: ChaosEvidence) {
    this.enabled = new Set(evidence.strategies.map(({ name }) => name));
    this.sells = evidence.calls.filter(isSell);
    this.cancels = evidence.calls.filter(isCancel);
    this.cancelsOf = groupBy(this.cancels, ({ operation }) => operation.orderId);
    this.sellsOfKey = groupBy(
      this.sells.filter(({ operation }) => operation.key !== undefined),
      ({ operation }) => operation.key ?? '',
    );
    const acknowledged = this.sells.flatMap((call) =>
      receiptsOf(call).map((receipt): Acknowledgement => ({ call, receipt })),
    );
    this.acknowledgements = groupBy(acknowledged, ({ receipt }) => receipt.orderId);
    const sales = evidence.ledger.filter(({ kind }) => kind === 'SALE');
    this.sales = new Map(sales.map((row) => [orderIdOf(row), row]));
    this.saleById = new Map(sales.map((row) => [row.id, row]));
    this.runs = this.readRuns();
  }

  get faulty(): boolean {
    return this.evidence.faults.length > 0;
  }

  isEnabled(strategy: string): boolean {
    return this.enabled.has(strategy);
  }

  withKey(key: string | null | undefined): readonly SellCall[] {
    return this.sellsOfKey.get(key ?? '') ?? [];
  }

  /** The sale that a RETURN cancels. */
  saleOf(row: LedgerRow): LedgerRow | undefined {
    return this.saleById.get(row.cancels ?? 0);
  }

  /** The runs of a goods that may have been the current one at some moment of the interval. */
  runsAt(goodsId: number, { start, end }: Interval): readonly IndexedRun[] {
    return [...this.runs.values()].filter(
      (run) => run.goodsId === goodsId && run.began.start <= end && run.ended.end >= start,
    );
  }

  /** The calls that made, or may have made, this line of the ledger. */
  callsOf(row: LedgerRow): readonly Call[] {
    if (row.kind === 'RETURN') {
      const sale = this.saleOf(row);
      const asked = sale ? (this.cancelsOf.get(orderIdOf(sale)) ?? []) : [];
      return asked.filter((call) => outcomeOf(call) !== 'refused');
    }
    const told = this.acknowledgements.get(orderIdOf(row)) ?? [];
    const makers = told.filter(({ call }) => !call.answer?.replayed).map(({ call }) => call);
    if (makers.length > 0) return makers;
    return [...told.map(({ call }) => call), ...this.unknownSalesLike(row)];
  }

  /** Sales with an unknown outcome that would have written such a line. */
  unknownSalesLike(row: LedgerRow): readonly SellCall[] {
    const calls = row.key === null ? this.sells : this.withKey(row.key);
    return calls.filter((call) => outcomeOf(call) === 'unknown' && couldWrite(call, row));
  }

  /** When the line took effect. */
  intervalOf(row: LedgerRow): Interval {
    const known = this.intervals.get(row.id);
    if (known) return known;
    const calls = this.callsOf(row);
    const done = calls.filter((call) => outcomeOf(call) === 'done');
    const interval = {
      start: calls.length === 0 ? -Infinity : Math.min(...calls.map(({ start }) => start)),
      end: Math.min(...done.map(({ end }) => end)),
    };
    this.intervals.set(row.id, interval);
    return interval;
  }

  private readRuns(): Map<number, IndexedRun> {
    const rows = groupBy(this.evidence.ledger, ({ runId }) => runId);
    const safety = new Map(this.evidence.strategies.map(({ name, safe }) => [name, safe]));
    const keepsPromise = (row: LedgerRow) => {
      const safe = safety.get(row.strategy);
      return safe === 'always' || (safe === 'while-the-lease-holds' && !this.faulty);
    };
    const runs = [...this.evidence.runs].sort((a, b) => a.id - b.id);
    return new Map(
      runs.map((run, index) => {
        const next = runs.slice(index + 1).find(({ goodsId }) => goodsId === run.goodsId);
        const own = rows.get(run.id) ?? [];
        const book: IndexedRun = {
          ...run,
          rows: own,
          began: this.resetOf(run),
          ended: next ? this.resetOf(next) : NEVER,
          promised: own.every(keepsPromise),
          last: next === undefined,
        };
        return [run.id, book];
      }),
    );
  }

  private resetOf({ id, goodsId, initial }: RunRow): Interval {
    const resets = this.evidence.calls.filter(
      ({ operation }) =>
        operation.do === 'reset' && operation.goodsId === goodsId && operation.inventory === initial,
    );
    const known = resets.find(({ answer }) => (answer?.body as { runId?: number } | undefined)?.runId === id);
    if (known) return known;
    const unknown = resets.filter((call) => outcomeOf(call) === 'unknown');
    return { start: Math.min(...unknown.map(({ start }) => start), Infinity), end: Infinity };
  }
}

/** The order id on the receipt. */
export function orderIdOf({ number, id }: LedgerRow): number {
  return number ?? id;
}

/** Whether the order was accepted in Redis and written to MySQL after its receipt was sent. */
export function isWrittenLater({ number, strategy }: LedgerRow): boolean {
  return number !== null && strategy === ACCEPTS_IN_REDIS;
}

export function couldWrite({ operation: { strategy, key, items } }: SellCall, row: LedgerRow): boolean {
  return (
    strategy === row.strategy &&
    (key ?? null) === row.key &&
    items.some(({ goodsId, quantity }) => goodsId === row.goodsId && quantity === row.quantity)
  );
}
