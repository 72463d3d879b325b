import { type Sql } from '../database/sql.js';

/** What the lines of one run add up to. */
export interface Totals {
  readonly orders: number;
  readonly redisOrders: number;
  /** Sold less returned. */
  readonly sold: number;
  readonly returned: number;
  readonly lowestAfter: number | null;
  readonly brokenLinks: number;
  readonly unmatchedReturns: number;
  readonly duplicateKeys: number;
  readonly reusedLeases: number;
}

export interface CountedRun {
  readonly goodsId: number;
  readonly runId: number;
  readonly initial: number;
}

/** A stock row: a segment, or null for the row in `goods`. */
type StockRowId = number | null;

/**
 * What has been counted of a run. Immutable: an audit that has passed its deadline may still be counting while the next
 * one runs, and each of them adds to what it began with.
 */
interface Counted extends Omit<Totals, 'duplicateKeys' | 'reusedLeases'> {
  readonly runId: number;
  readonly lines: number;
  /** Lines of other goods under this run: only a forged line can be one. */
  readonly foreignLines: number;
  readonly highestLease: number | null;
  /** Leases are granted in ascending order; where they do not ascend, one may have been used twice. */
  readonly leasesInDoubt: boolean;
  /** The last line of each stock row: the next one must begin where it ended. */
  readonly ends: ReadonlyMap<StockRowId, { readonly id: number; readonly after: number }>;
}

type Piece = Omit<Counted, 'runId' | 'highestLease' | 'leasesInDoubt' | 'ends'> & {
  readonly lastId: number;
  readonly leases: number;
  readonly differentLeases: number;
  readonly lowestLease: number | null;
  readonly highestLease: number | null;
};

/** Of a TINYINT. */
const HIGHEST_SEGMENT = 127;
/** The search for late lines may use 1/50 of the time. */
const VERIFY_ONE_IN = 50;

/**
 * Counts the ledger of a run and remembers the count, so that the next audit reads the new lines only. This is exact
 * because the lines of one stock row become visible in the order of their ids: each is inserted while its stock row is
 * locked, until COMMIT. Lines of different stock rows do not, so each stock row has an end of its own. A line that was
 * inserted without that lock may come late; the number of lines then differs, and everything is counted again
 * (docs/adr/0024).
 */
export class LedgerTotals {
  /** Ids that one statement spans: a first audit of a long run then makes progress although its deadline passes. */
  protected readonly chunk: number = 50_000;
  private readonly counted = new Map<number, Counted>();
  private readonly verified = new Map<number, { readonly runId: number; readonly nextAt: number }>();

  /** `cameLate` is called for each run in which a line came late. */
  constructor(private readonly cameLate: (runId: number) => void) {}

  /** Inside the caller's transaction: what it counts is what its snapshot shows. */
  async read(sql: Sql, run: CountedRun): Promise<Totals> {
    let counted = await this.countOn(sql, run);
    if (!(await this.isComplete(sql, run, counted))) {
      this.cameLate(run.runId);
      this.forget(run.goodsId);
      counted = await this.countOn(sql, run);
    }
    return {
      ...counted,
      // The ledger's unique key spans goods, run and key: only a line of other goods can repeat a key of the run.
      duplicateKeys: counted.foreignLines === 0 ? 0 : await this.usedTwice(sql, run.runId, 'idempotency_key'),
      reusedLeases: counted.leasesInDoubt ? await this.usedTwice(sql, run.runId, 'lease_seq') : 0,
    };
  }

  /** Makes the next audit count the run of the goods from its first line. */
  forget(goodsId: number): void {
    this.counted.delete(goodsId);
  }

  private async countOn(sql: Sql, run: CountedRun): Promise<Counted> {
    const known = this.counted.get(run.goodsId);
    let counted = known?.runId === run.runId ? known : nothingOf(run.runId);
    for (const { segment, lastId } of await lastLines(sql, run.runId)) {
      while ((counted.ends.get(segment)?.id ?? 0) < lastId) {
        const from = await this.nextLine(sql, run, segment, counted.ends.get(segment)?.id ?? 0);
        counted = await this.countChunk(sql, run, counted, segment, from);
        this.counted.set(run.goodsId, counted);
      }
    }
    return counted;
  }

  /** Other runs may have used any number of ids in between. */
  private async nextLine(
    sql: Sql,
    { runId }: CountedRun,
    segment: StockRowId,
    after: number,
  ): Promise<number> {
    const row = await sql.one<{ id: number }>(
      `SELECT MIN(id) AS id FROM orders WHERE run_id = ? AND segment ${is(segment)} AND id > ?`,
      [runId, after],
    );
    return (row as { id: number }).id;
  }

  private async countChunk(
    sql: Sql,
    { goodsId, runId, initial }: CountedRun,
    counted: Counted,
    segment: StockRowId,
    from: number,
  ): Promise<Counted> {
    // The row in `goods` begins with the whole stock, a segment with nothing.
    const beginsAt = counted.ends.get(segment)?.after ?? (segment === null ? initial : 0);
    const piece = (await sql.one<Piece>(
      `SELECT COUNT(*) AS \`lines\`,
              MAX(line.id) AS lastId,
              COUNT(line.kind = 'SALE' OR NULL) AS orders,
              COUNT(line.number) AS redisOrders,
              CAST(COALESCE(SUM(CASE line.kind WHEN 'SALE' THEN line.quantity WHEN 'RETURN' THEN -line.quantity END), 0)
                   AS SIGNED) AS sold,
              CAST(COALESCE(SUM(IF(line.kind = 'RETURN', line.quantity, 0)), 0) AS SIGNED) AS returned,
              MIN(line.after_inventory) AS lowestAfter,
              COUNT(line.before_inventory <> line.expected OR NULL) AS brokenLinks,
              COUNT((line.kind = 'RETURN' AND sale.id IS NULL) OR NULL) AS unmatchedReturns,
              COUNT(line.goods_id <> ? OR NULL) AS foreignLines,
              COUNT(line.lease_seq) AS leases,
              COUNT(DISTINCT line.lease_seq) AS differentLeases,
              MIN(line.lease_seq) AS lowestLease,
              MAX(line.lease_seq) AS highestLease
       FROM (SELECT id, kind, number, goods_id, run_id, quantity, before_inventory, after_inventory, lease_seq, cancels,
                    COALESCE(LAG(after_inventory) OVER (ORDER BY id), ?) AS expected
             FROM orders WHERE run_id = ? AND segment ${is(segment)} AND id BETWEEN ? AND ?) AS line
       LEFT JOIN orders AS sale ON sale.id = line.cancels AND sale.kind = 'SALE' AND sale.id < line.id
         AND sale.run_id = line.run_id AND sale.goods_id = line.goods_id AND sale.quantity = line.quantity`,
      [goodsId, beginsAt, runId, from, from + this.chunk - 1],
    )) as Piece;
    const last = (await sql.one<{ after: number }>(
      'SELECT after_inventory AS after FROM orders WHERE id = ?',
      [piece.lastId],
    )) as { after: number };
    return added(counted, piece, segment, last.after);
  }

  /**
   * Compares the number of lines. A difference means that a line was not written by a deduction or a return: it came late,
   * with an id below the end of its stock row.
   */
  private async isComplete(sql: Sql, { goodsId, runId }: CountedRun, { lines }: Counted): Promise<boolean> {
    const earlier = this.verified.get(goodsId);
    const started = performance.now();
    if (earlier?.runId === runId && started < earlier.nextAt) return true;
    const row = await sql.one<{ n: number }>('SELECT COUNT(*) AS n FROM orders WHERE run_id = ?', [runId]);
    const ended = performance.now();
    this.verified.set(goodsId, { runId, nextAt: ended + VERIFY_ONE_IN * (ended - started) });
    return row?.n === lines;
  }

  private async usedTwice(sql: Sql, runId: number, column: 'idempotency_key' | 'lease_seq'): Promise<number> {
    const row = await sql.one<{ n: number }>(
      `SELECT COUNT(*) AS n FROM (
         SELECT 1 FROM orders WHERE run_id = ? AND ${column} IS NOT NULL GROUP BY ${column} HAVING COUNT(*) > 1
       ) AS repeated`,
      [runId],
    );
    return row?.n ?? 0;
  }
}

/** NULL is not equal to anything; a segment is a number from the database, never a client's text. */
function is(segment: StockRowId): string {
  return segment === null ? 'IS NULL' : `= ${segment}`;
}

/** The last line of each stock row of a run: each is the end of a range of the index, however long the run is. */
async function lastLines(sql: Sql, runId: number): Promise<{ segment: StockRowId; lastId: number }[]> {
  const found: { segment: StockRowId; lastId: number }[] = [];
  let below = HIGHEST_SEGMENT + 1;
  for (;;) {
    const last = await sql.one<{ segment: number; lastId: number }>(
      `SELECT segment, id AS lastId FROM orders WHERE run_id = ? AND segment < ?
       ORDER BY segment DESC, id DESC LIMIT 1`,
      [runId, below],
    );
    if (!last) break;
    found.push(last);
    below = last.segment;
  }
  const last = await sql.one<{ lastId: number }>(
    'SELECT id AS lastId FROM orders WHERE run_id = ? AND segment IS NULL ORDER BY id DESC LIMIT 1',
    [runId],
  );
  return last ? [...found, { segment: null, ...last }] : found;
}

function nothingOf(runId: number): Counted {
  return {
    runId,
    lines: 0,
    orders: 0,
    redisOrders: 0,
    sold: 0,
    returned: 0,
    lowestAfter: null,
    brokenLinks: 0,
    unmatchedReturns: 0,
    foreignLines: 0,
    highestLease: null,
    leasesInDoubt: false,
    ends: new Map(),
  };
}

function added(counted: Counted, piece: Piece, segment: StockRowId, after: number): Counted {
  const ascending =
    piece.lowestLease === null || counted.highestLease === null || piece.lowestLease > counted.highestLease;
  return {
    runId: counted.runId,
    lines: counted.lines + piece.lines,
    orders: counted.orders + piece.orders,
    redisOrders: counted.redisOrders + piece.redisOrders,
    sold: counted.sold + piece.sold,
    returned: counted.returned + piece.returned,
    lowestAfter: Math.min(counted.lowestAfter ?? Infinity, piece.lowestAfter ?? Infinity),
    brokenLinks: counted.brokenLinks + piece.brokenLinks,
    unmatchedReturns: counted.unmatchedReturns + piece.unmatchedReturns,
    foreignLines: counted.foreignLines + piece.foreignLines,
    highestLease: piece.highestLease ?? counted.highestLease,
    leasesInDoubt: counted.leasesInDoubt || !ascending || piece.leases > piece.differentLeases,
    ends: new Map(counted.ends).set(segment, { id: piece.lastId, after }),
  };
}
