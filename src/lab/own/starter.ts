/** What `lockstock new` writes: a strategy that is safe, and explains what it uses. */
export function starter(name: string): string {
  return `// A strategy of your own. Try it with: npx lockstock try ${name}.ts
// Everything that it needs comes from 'lockstock'; it may also import Node's own modules, such as node:crypto.
import {
  checkpoint,
  Database,
  type Deduction,
  type DeductOrder,
  type DeductStrategy,
  Ledger,
  readStock,
  Strategy,
  whyNotTaken,
} from 'lockstock';

@Strategy({
  // The name in the URL: POST /goods/1/deduct/${name}
  name: '${name}',
  family: 'database', // unsafe, process, database, redis-stock, redis-lock, fencing or coordination
  lesson: 1,
  title: 'Check and write in one statement',
  stock: 'mysql', // where the stock is counted
  needs: ['mysql'], // and: redis, redlock, etcd, zookeeper
  // What you promise: 'always', 'while-the-lease-holds', 'one-process' or 'never'. The trial tests it.
  safe: 'always',
  // The faults under which it breaks, such as 'pause', 'crash', 'failover'. A request that is repeated after a lost reply
  // without an Idempotency-Key sells twice under every strategy.
  breaksUnder: ['lost-reply'],
  teaches: 'One sentence: what a reader learns from it.',
})
export class ${className(name)} implements DeductStrategy {
  // Nest passes these: Database (transactions), Ledger (orders), Stock (the unprotected write), RedisConnection, GoodsLocks.
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  /** Sells once, or throws: whyNotTaken says whether it was sold out. */
  deduct(order: DeductOrder): Promise<Deduction> {
    // COMMIT when the function ends, ROLLBACK when it throws.
    return this.database.transaction(async (sql) => {
      // A checkpoint is a place where the fault matrix can stop this request. Otherwise it does nothing.
      await checkpoint('beforeWrite');
      const { affectedRows } = await sql.change(
        \`UPDATE goods SET inventory = inventory - ?, version = version + 1, last_writer = ?
         WHERE id = ? AND inventory >= ? AND stock_in = 'mysql'\`,
        [order.quantity, order.strategy, order.goodsId, order.quantity],
      );
      await checkpoint('afterWrite');
      if (affectedRows === 0) throw await whyNotTaken(sql, order);
      // The row lock lasts until COMMIT, so this plain read is exact.
      const row = await readStock(sql, order.goodsId);
      return this.ledger.sale(sql, order, { runId: row.runId, before: row.inventory + order.quantity });
    }, order);
  }
}
`;
}

/** `my-strategy` becomes `MyStrategy`. */
function className(name: string): string {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
