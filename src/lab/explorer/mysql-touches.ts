import { type Touches } from './model.js';

/** All tables that the service uses, and one name for any other. */
const TABLES = [
  'goods',
  'orders',
  'runs',
  'refusals',
  'lock_rows',
  'idempotent_log',
  'order_numbers',
  'stock_segments',
  'refused_orders',
  'secrets',
  'another table',
];
const NAMED_LOCK = /^SELECT (?:GET|RELEASE)_LOCK\(/i;
const LOCKING_READ = /\bFOR UPDATE\b|\bLOCK IN SHARE MODE\b|\bFOR SHARE\b/i;
const CHANGE = /^(INSERT|UPDATE|DELETE|REPLACE)\b/i;
const NOTHING = { reads: [], writes: [] };

/** The committed rows of a table, and its row locks: a change that is not committed is visible only as a lock. */
const rowsOf = (table: string) => `rows of ${table}`;
const locksOf = (table: string) => `locks of ${table}`;

/**
 * What the SQL of one request touches. A table counts as one row: the explorer's buyers buy the same goods. Inside a
 * transaction a change takes locks and becomes visible at COMMIT; the first plain read fixes the snapshot of all tables.
 */
export class MysqlTouches {
  private isOpen = false;
  private hasSnapshot = false;
  private readonly changed = new Set<string>();
  private readonly named = new Set<string>();

  /** What the server releases when the connection breaks. */
  abandons(): Touches {
    return { reads: [], writes: [...[...this.changed].map(locksOf), ...this.named] };
  }

  of(text: string, values: readonly unknown[] = []): Touches {
    if (/^START TRANSACTION\b/i.test(text)) {
      this.begin();
      return NOTHING;
    }
    if (/^COMMIT\b/i.test(text)) return this.end((tables) => [...tables.map(rowsOf), ...tables.map(locksOf)]);
    if (/^ROLLBACK\b/i.test(text)) return this.end((tables) => tables.map(locksOf));
    if (NAMED_LOCK.test(text)) {
      const name = `the lock ${String(values[0])}`;
      this.named.add(name);
      return { reads: [], writes: [name] };
    }
    const tables = TABLES.filter((table) => new RegExp(`\\b${table}\\b`).test(text));
    // What is not understood counts as a change of everything.
    if (tables.length === 0 || !/^(SELECT|INSERT|UPDATE|DELETE|REPLACE)\b/i.test(text))
      return this.change(TABLES);
    if (CHANGE.test(text)) return this.change(tables);
    if (LOCKING_READ.test(text)) return this.lock(tables);
    return this.read(tables);
  }

  private begin(): void {
    this.isOpen = true;
    this.hasSnapshot = false;
    this.changed.clear();
  }

  private end(released: (tables: readonly string[]) => string[]): Touches {
    const writes = released([...this.changed]);
    this.isOpen = false;
    this.changed.clear();
    return { reads: [], writes };
  }

  private change(tables: readonly string[]): Touches {
    if (!this.isOpen) return { reads: [], writes: [...tables.map(rowsOf), ...tables.map(locksOf)] };
    return this.lock(tables);
  }

  /** Locking reads and changes see what is committed, and exclude each other until the transaction ends. */
  private lock(tables: readonly string[]): Touches {
    if (this.isOpen) for (const table of tables) this.changed.add(table);
    return { reads: tables.map(rowsOf), writes: tables.map(locksOf) };
  }

  private read(tables: readonly string[]): Touches {
    const seen = this.isOpen && !this.hasSnapshot ? TABLES : tables;
    this.hasSnapshot = this.isOpen;
    return { reads: seen.map(rowsOf), writes: [] };
  }
}
