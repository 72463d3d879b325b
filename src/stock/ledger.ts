import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { type Sql } from '../database/sql.js';
import { type Deduction, type DeductOrder } from './order.js';

/** What a sale cost before it reached the stock. */
export interface SaleCost {
  readonly attempts?: number | undefined;
  readonly waitedMs?: number | undefined;
}

/** What a strategy knew of the stock row when it sold. */
export interface SaleFacts extends SaleCost {
  readonly runId: number;
  readonly before: number;
  readonly fence?: number;
  readonly leaseSeq?: number;
}

/** An order, and what its strategy knew when it sold it. */
export interface LedgerSale {
  readonly order: DeductOrder;
  readonly facts: SaleFacts;
}

/** The same for stock in several rows: `before` is the stock of the row that was sold from. */
export interface SegmentSaleFacts extends SaleFacts {
  readonly segment: number;
  /** Left in all rows together, as the receipt says. */
  readonly remaining: number;
}

/** Stock that moved to another row. Both rows get a line; otherwise the chain of each row would be broken. */
export interface Move {
  /** Null is the row in `goods`. */
  readonly segment: number | null;
  readonly before: number;
  readonly after: number;
}

/** A sale whose units were reserved in Redis: it gets its number before it is written. */
export interface NumberedSale {
  readonly number: number;
  readonly runId: number;
  readonly strategy: string;
  readonly quantity: number;
  readonly idempotencyKey: string | null;
  readonly requestHash: string | null;
  readonly instance: string;
  readonly before: number;
  readonly attempts: number;
  readonly waitedMs: number;
  /** See `Line`. */
  readonly toldRemaining: number | null;
}

/** Stock that a cancelled sale returns. */
export interface Return {
  readonly saleId: number;
  readonly runId: number;
  readonly goodsId: number;
  readonly strategy: string;
  readonly quantity: number;
  readonly segment: number | null;
  readonly before: number;
  readonly remaining: number;
}

/** One line of `orders`; what a kind of line does not have is null. */
interface Line {
  readonly kind: 'SALE' | 'RETURN' | 'MOVE';
  readonly number?: number;
  readonly runId: number;
  readonly goodsId: number;
  readonly strategy: string;
  readonly quantity: number;
  readonly idempotencyKey?: string | null | undefined;
  readonly requestHash?: string | null | undefined;
  readonly instance?: string;
  readonly segment?: number | null;
  readonly before: number;
  readonly after: number;
  /**
   * The remaining stock on the receipt, where it is not `after`: for units that were reserved in Redis, and for stock in
   * several rows. Its column is called `gate_remaining`, and columns are not renamed (CONTRIBUTING.md, schema changes).
   */
  readonly toldRemaining?: number | null;
  readonly fence?: number | undefined;
  readonly leaseSeq?: number | undefined;
  readonly attempts?: number;
  readonly waitedMs?: number;
  readonly cancels?: number;
}

/** Writes the append-only `orders`. Always after the stock row, so that order ids follow the commits of a goods. */
@Injectable()
export class Ledger {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  async sale(sql: Sql, order: DeductOrder, facts: SaleFacts): Promise<Deduction> {
    const [sale] = await this.sales(sql, [{ order, facts }]);
    return sale as Deduction;
  }

  /**
   * Several sales from one stock row in one INSERT, in the order in which they changed the row. `idStep` is the server's
   * `auto_increment_increment`: the ids of one INSERT of known length follow each other by this step.
   */
  async sales(sql: Sql, sales: readonly LedgerSale[], idStep = 1): Promise<Deduction[]> {
    const lines = sales.map(saleLine);
    const firstId = await this.append(sql, lines);
    return lines.map(({ goodsId, quantity, after, attempts, waitedMs }, index) => ({
      orderId: firstId + index * idStep,
      goodsId,
      quantity,
      remaining: after,
      attempts,
      waitedMs,
    }));
  }

  async segmentSale(sql: Sql, order: DeductOrder, facts: SegmentSaleFacts): Promise<Deduction> {
    const { runId, segment, before, remaining, attempts = 1 } = facts;
    const { goodsId, strategy, quantity, idempotencyKey, requestHash } = order;
    const waitedMs = Math.round(facts.waitedMs ?? 0);
    const orderId = await this.append(sql, [
      {
        kind: 'SALE',
        ...{ runId, goodsId, strategy, quantity, idempotencyKey, requestHash, segment },
        ...{ before, after: before - quantity, toldRemaining: remaining, attempts, waitedMs },
      },
    ]);
    return { orderId, goodsId, quantity, remaining, attempts, waitedMs };
  }

  async moves(
    sql: Sql,
    { goodsId, runId, strategy }: { goodsId: number; runId: number; strategy: string },
    moves: readonly Move[],
  ): Promise<void> {
    await this.append(
      sql,
      moves.map(({ segment, before, after }) => ({
        kind: 'MOVE',
        ...{ runId, goodsId, strategy, quantity: after - before, segment, before, after },
      })),
    );
  }

  /** Several at once, in the order in which they changed the stock row. */
  async numbered(sql: Sql, goodsId: number, sales: readonly NumberedSale[]): Promise<void> {
    await this.append(
      sql,
      sales.map((sale) => ({ ...sale, kind: 'SALE', goodsId, after: sale.before - sale.quantity })),
    );
  }

  /** Resolves with the id of the line. */
  async return(sql: Sql, back: Return): Promise<number> {
    const { saleId, segment, before, quantity, remaining } = back;
    const toldRemaining = segment === null ? null : remaining;
    return this.append(sql, [
      { ...back, kind: 'RETURN', after: before + quantity, toldRemaining, cancels: saleId },
    ]);
  }

  /** Resolves with the id of the first line. */
  private async append(sql: Sql, lines: readonly Line[]): Promise<number> {
    const { insertId } = await sql.change(
      `INSERT INTO orders (kind, number, run_id, goods_id, strategy, quantity, idempotency_key, request_hash, instance,
                           segment, before_inventory, after_inventory, gate_remaining, fence, lease_seq, attempts,
                           waited_ms, cancels) VALUES ?`,
      [
        lines.map((line) => [
          line.kind,
          line.number ?? null,
          line.runId,
          line.goodsId,
          line.strategy,
          line.quantity,
          line.idempotencyKey ?? null,
          line.requestHash ?? null,
          line.instance ?? this.settings.instance,
          line.segment ?? null,
          line.before,
          line.after,
          line.toldRemaining ?? null,
          line.fence ?? null,
          line.leaseSeq ?? null,
          line.attempts ?? 1,
          line.waitedMs ?? 0,
          line.cancels ?? null,
        ]),
      ],
    );
    return insertId;
  }
}

function saleLine({ order, facts: { runId, before, fence, leaseSeq, ...cost } }: LedgerSale) {
  const { goodsId, strategy, quantity, idempotencyKey, requestHash } = order;
  const { attempts = 1, waitedMs = 0 } = cost;
  return {
    kind: 'SALE',
    ...{ runId, goodsId, strategy, quantity, idempotencyKey, requestHash, before, after: before - quantity },
    ...{ fence, leaseSeq, attempts, waitedMs: Math.round(waitedMs) },
  } as const satisfies Line;
}
