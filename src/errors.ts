import { type ProblemType } from './contract/problem.js';

/**
 * What can go wrong with a request, as classes with a stable `type`. `src/http/problem.filter.ts` is the only
 * place that turns them into HTTP. Messages are for the client: no SQL, key or address in them.
 */
export abstract class LockstockError extends Error {
  abstract readonly type: ProblemType;
  /** Further members of the problem document. */
  readonly members: Readonly<Record<string, unknown>> = {};
  /** Seconds after which to retry, where it differs from the default of the type. */
  readonly retryAfter?: number;
}

export class InvalidRequest extends LockstockError {
  readonly type = 'invalid-request';
}

export class Unauthorized extends LockstockError {
  readonly type = 'unauthorized';
}

export class UnknownGoods extends LockstockError {
  readonly type = 'unknown-goods';
  constructor(goodsId: number) {
    super(`There are no goods with id ${goodsId}.`);
  }
}

export class UnknownOrder extends LockstockError {
  readonly type = 'unknown-order';
  constructor(orderId: number) {
    super(`There is no sale with order id ${orderId}.`);
  }
}

export class UnknownStrategy extends LockstockError {
  readonly type = 'unknown-strategy';
  constructor() {
    super('There is no strategy of that name. GET /strategies lists them.');
  }
}

export class SoldOut extends LockstockError {
  readonly type = 'sold-out';
  override readonly members: Readonly<Record<string, unknown>>;
  constructor(
    readonly goodsId: number,
    readonly runId: number,
    readonly wanted: number,
  ) {
    super(`Fewer than ${wanted} of goods ${goodsId} are left.`);
    this.members = { goodsId };
  }
}

/** The order belongs to a run that a reset has ended: returning its stock now would falsify the current run. */
export class RunEnded extends LockstockError {
  readonly type = 'run-ended';
  constructor() {
    super('The order belongs to a run that has ended, so it can no longer be cancelled.');
  }
}

export class IdempotencyConflict extends LockstockError {
  readonly type = 'idempotency-conflict';
  constructor() {
    super('This Idempotency-Key was used for a different request.');
  }
}

/** Redis accepted the order, the buyer has a receipt, and MySQL refused the order. Its key keeps this outcome. */
export class OrderRefused extends LockstockError {
  readonly type = 'order-refused';
  override readonly members: Readonly<Record<string, unknown>>;
  constructor(orderId: number) {
    super(
      `Order ${orderId} was accepted by Redis and refused by MySQL: nothing was sold. Use a new key to order again.`,
    );
    this.members = { orderId };
  }
}

/** The instance is overloaded; nothing happened, and the client may retry. */
export class Busy extends LockstockError {
  readonly type = 'busy';
}

/** Another writer changed the row first: the sale is rolled back and retried at once. */
export class Conflict extends Busy {
  constructor() {
    super('In every attempt another order changed the stock first. Nothing was sold; retry.');
  }
}

/** Another store has the stock at the moment. The stock is moved, and the order is retried. */
export class StockElsewhere extends Busy {
  constructor(readonly goodsId: number) {
    super(
      `Strategies that count the stock of goods ${goodsId} in different stores are competing for it. Nothing was sold; retry.`,
    );
  }
}

/** The store has accepted a larger fencing token: this holder's lock was lost. Another attempt needs a new lock. */
export class StaleToken extends Busy {
  constructor() {
    super('A later lock holder has written the stock. Nothing was sold; retry.');
  }
}

/** An order with this key exists or is in flight. Once the ledger has it, its receipt is the answer. */
export class AlreadySold extends Busy {
  constructor() {
    super('Another order with the same Idempotency-Key is in flight. Nothing was sold twice; retry.');
  }
}

/** The order reserved units in a Redis stock that has been replaced since: nothing was written, and a retry may succeed. */
export class RedisStockReplaced extends Busy {
  constructor() {
    super('The Redis stock was rebuilt while this order was in flight. Nothing was sold; retry.');
  }
}

const ENGINES = {
  database: 'The database',
  redis: 'The Redis server',
  etcd: 'etcd',
  zookeeper: 'ZooKeeper',
} as const;

/** A server that the strategy needs does not answer; nothing happened. */
export class EngineUnavailable extends LockstockError {
  readonly type = 'engine-unavailable';
  constructor(engine: keyof typeof ENGINES) {
    super(`${ENGINES[engine]} does not answer at the moment.`);
  }
}

/** The deciding command was sent and not confirmed: the sale may exist. Only an Idempotency-Key makes a retry safe. */
export class OutcomeUnknown extends LockstockError {
  readonly type = 'outcome-unknown';
  constructor(sent: 'COMMIT' | 'the order' = 'COMMIT') {
    super(
      `${sent === 'COMMIT' ? 'COMMIT' : 'The order'} was sent and not confirmed, so the order may or may not exist. ` +
        'Retry with the same Idempotency-Key. Without a key, check whether the order exists before you buy again.',
    );
  }
}

/** The client hung up before anything was committed. */
export class ClientGone extends LockstockError {
  readonly type = 'client-gone';
  constructor() {
    super('The client closed the connection; nothing was committed.');
  }
}
