import { type Edit, type Revert } from './revert.js';

/** Where the fixes are in the build. */
const STOCK = 'dist/src/stock/stock.js';
const CANCELLATIONS = 'dist/src/use-cases/cancellations.js';
const RECEIPTS = 'dist/src/stock/receipts.js';
const ORDER_ACCESS = 'dist/src/http/order-access.js';
const AUDIT = 'dist/src/use-cases/auditor.js';
/** A second snapshot would hide what the first one shows only for a moment. */
const ONE_SNAPSHOT = {
  file: 'dist/src/use-cases/confirmed-audit.js',
  from: "first.verdict === 'SAFE'",
  to: 'true',
};
const REDIS_STOCK = 'dist/src/redis-stock/redis-stock.js';
const RECONCILER = 'dist/src/redis-stock/reconciler.js';
const RESERVED_SALES = 'dist/src/redis-stock/reserved-sales.js';
const REDIS_LUA = 'dist/src/strategies/redis-stock/redis-lua.js';
const RELEASE_AFTER = 'dist/src/strategies/support/release-after.js';
const NAMED_LOCK = 'dist/src/strategies/support/with-named-lock.js';

const CLIENT_ERRORS = 'dist/src/http/client-errors.js';
const GATEWAY = 'deploy/nginx.conf.template';
const DATABASE = 'dist/src/database/database.js';
const ENGINES = 'dist/src/health/engines.js';
const REGISTRY = 'dist/src/strategies/registry.js';

/** A seed in whose round one more client shares its keys between purchases. */
const KEYS_SHARED = 9;

/** The stock leaves Redis, but Redis continues to sell it. */
const REDIS_STAYS_OPEN: Edit = {
  file: REDIS_STOCK,
  from: `        const accepted = await this.close(goodsId, 'any');
        const written = await this.writer.writeOn(sql, goodsId, accepted ?? []);
`,
  to: '        const written = { refused: [], gateId: null };\n',
};

/** Seeds in whose rounds one more client sends malformed requests of this kind. */
const ATTACKS = { unknownMethod: 10, controlCharacter: 12, largeHeaders: 17 } as const;
/** A seed in whose round more clients make a goods hot, buy another one, and ask whether the instance is ready. */
const HOT = 5;
const FEW_CONNECTIONS = { DATABASE_POOL: '4' };

const ONE_SHARE: Edit = {
  file: DATABASE,
  from: 'const owners = items?.map((item) => item.goodsId) ?? [goodsId ?? ANY_GOODS];',
  to: 'const owners = [ANY_GOODS];',
};

/** An instance closes the connection of a request that it cannot read, and does not announce it. */
const CLOSED_UNANNOUNCED: readonly Edit[] = [
  { file: CLIENT_ERRORS, from: "        'Connection: close',\n", to: '' },
  {
    file: CLIENT_ERRORS,
    from: "socket.end(`${head.join('\\r\\n')}\\r\\n\\r\\n${body}`);",
    to: "socket.write(`${head.join('\\r\\n')}\\r\\n\\r\\n${body}`); socket.destroy();",
  },
];

/** A failure ejects an instance, as nginx does by default. */
const EJECTING = { instances: 3, ejects: true } as const;
const LOST_CALLS = { promise: 'answers', sentence: /calls got no answer, 502 or 504/ } as const;

/** Every fix whose absence can be seen in a history; src/lab/chaos/README.md lists the other fixes. */
export const REVERTS: readonly Revert[] = [
  {
    name: 'a return is not a foreign write',
    edits: [{ file: CANCELLATIONS, from: 'after, RETURN)', to: 'after, strategy)' }],
    strategies: ['named-lock'],
    mode: 'single',
    seed: 1,
    finds: { promise: 'conservation', sentence: /began at \d+, but/ },
  },
  {
    name: 'the write of another strategy is not noticed',
    edits: [{ file: STOCK, from: 'OR version = ?)', to: 'OR version = ? OR TRUE)' }],
    strategies: ['named-lock', 'sql-atomic'],
    mode: 'mixed',
    without: ['returns'],
    seed: 1,
    finds: { promise: 'conservation', sentence: /began at \d+, but/ },
  },
  {
    name: 'a strategy does not ask where the stock is',
    edits: [
      {
        file: STOCK,
        from: `    if (row.stockIn !== 'mysql')
        throw new StockElsewhere(order.goodsId);
`,
        to: '',
      },
    ],
    strategies: ['segmented', 'sql-atomic'],
    mode: 'mixed',
    seed: 1,
    finds: { promise: 'sold-out', sentence: /was told that it is sold out/ },
  },
  {
    name: 'Redis continues to sell stock that has moved to MySQL',
    edits: [REDIS_STAYS_OPEN],
    strategies: ['redis-lua', 'sql-atomic'],
    mode: 'mixed',
    seed: 1,
    finds: { promise: 'acknowledged', sentence: /but the ledger does not have it/ },
  },
  {
    name: 'an audit does not count the orders that were accepted and refused',
    edits: [
      REDIS_STAYS_OPEN,
      {
        file: AUDIT,
        from: '(SELECT COUNT(*) FROM refused_orders WHERE refused_orders.run_id = runs.id) AS brokenPromises',
        to: '0 AS brokenPromises',
      },
    ],
    strategies: ['redis-lua', 'sql-atomic'],
    mode: 'mixed',
    seed: 1,
    finds: { promise: 'audits', sentence: /The final audit .* says SAFE, but/ },
  },
  {
    name: 'redis-lua accepts a key that the ledger has',
    edits: [
      {
        file: REDIS_LUA,
        from: `        if (await this.receipts.isUsed(goodsId, idempotencyKey))
            throw new AlreadySold();
`,
        to: '',
      },
    ],
    strategies: ['redis-lua', 'sql-atomic'],
    mode: 'mixed',
    seed: KEYS_SHARED,
    finds: { promise: 'acknowledged', sentence: /but the ledger does not have it/ },
  },
  {
    name: 'a lock that cannot be released denies a sale that is committed',
    edits: [
      { file: RELEASE_AFTER, from: 'await release().catch(() => undefined);', to: 'await release();' },
      {
        file: NAMED_LOCK,
        from: 'await sql.orBreak(() => releaseNamedLock(query, name));',
        to: `await sql.orBreak(() => releaseNamedLock(query, name));
            if (Math.random() < 0.1) throw Object.assign(new Error('planted'), { code: 'PROTOCOL_CONNECTION_LOST' });`,
      },
    ],
    strategies: ['named-lock'],
    mode: 'single',
    seed: 1,
    finds: { promise: 'refused', sentence: /were not acknowledged|every call .* was refused/ },
  },
  {
    name: 'an audit compares two stores that change',
    edits: [
      {
        file: AUDIT,
        from: 'if (redisState === null || isDeepStrictEqual(redisState, await this.redisStock.read(goodsId)))',
        to: 'if (true)',
      },
      ONE_SNAPSHOT,
    ],
    strategies: ['redis-decr'],
    mode: 'single',
    seed: 1,
    finds: { promise: 'audits', sentence: /but the ledger of that run is in order/ },
  },
  {
    name: 'an audit does not count what is in flight',
    edits: [
      {
        file: AUDIT,
        from: 'redisState && inRedis ? await quantityInFlight(sql, run.runId, redisState) : 0',
        to: '0',
      },
      ONE_SNAPSHOT,
    ],
    strategies: ['redis-lua'],
    mode: 'single',
    seed: 1,
    finds: { promise: 'audits', sentence: /but the ledger of that run is in order/ },
  },
  {
    name: 'the two stores are not reconciled after a crash',
    edits: [
      {
        file: RECONCILER,
        from: 'if (!this.redis.up)\n            return;\n        for',
        to: 'return;\n        for',
      },
      // An instance that dies between Redis and MySQL.
      {
        file: RESERVED_SALES,
        from: "await checkpoint('afterReservation');",
        to: 'if (Math.random() < 0.05) throw new RedisStockReplaced();',
      },
    ],
    strategies: ['redis-decr'],
    mode: 'single',
    goods: 1,
    seed: 1,
    finds: { promise: 'conservation', sentence: /did not drain|Redis/ },
  },
  {
    name: 'an order can be cancelled without its token',
    edits: [{ file: ORDER_ACCESS, from: 'if (this.admin.isIn(request))', to: 'if (true)' }],
    strategies: ['sql-atomic'],
    mode: 'single',
    seed: 1,
    finds: { promise: 'returns', sentence: /was accepted with a wrong token/ },
  },
  {
    name: 'a key stands for its lines, not for the request',
    edits: [{ file: RECEIPTS, from: 'receipt.requestHash === null\n', to: 'true\n' }],
    strategies: ['sql-atomic'],
    mode: 'single',
    seed: KEYS_SHARED,
    finds: { promise: 'keys', sentence: /answered with a replay, but no call/ },
  },
  {
    name: 'a replay does not say that the order was cancelled',
    edits: [{ file: RECEIPTS, from: 'return returnId === null ? receipt :', to: 'return true ? receipt :' }],
    strategies: ['sql-atomic'],
    mode: 'single',
    seed: 1,
    finds: { promise: 'keys', sentence: /does not say that the order had been cancelled/ },
  },
  {
    name: 'an instance closes the connection of a request that it cannot read without announcing it',
    edits: CLOSED_UNANNOUNCED,
    strategies: ['sql-atomic'],
    mode: 'single',
    ...EJECTING,
    seed: ATTACKS.controlCharacter,
    finds: LOST_CALLS,
  },
  {
    name: 'the gateway passes on unknown methods',
    edits: [...CLOSED_UNANNOUNCED, { file: GATEWAY, from: 'if ($unknown_method) { return 405; }', to: '' }],
    strategies: ['sql-atomic'],
    mode: 'single',
    ...EJECTING,
    seed: ATTACKS.unknownMethod,
    finds: LOST_CALLS,
  },
  {
    name: 'the gateway passes on headers that are larger than an instance accepts',
    edits: [
      ...CLOSED_UNANNOUNCED,
      { file: GATEWAY, from: 'large_client_header_buffers 2 8k;', to: 'large_client_header_buffers 8 32k;' },
      { file: CLIENT_ERRORS, from: 'MAX_HEADER_BYTES = 32 * 1024', to: 'MAX_HEADER_BYTES = 16 * 1024' },
    ],
    strategies: ['sql-atomic'],
    mode: 'single',
    ...EJECTING,
    seed: ATTACKS.largeHeaders,
    finds: LOST_CALLS,
  },
  {
    name: 'buyers of all goods wait for the same connections',
    edits: [ONE_SHARE],
    // Each request of a crowd gives up so early that the one of the visitor is not the last one left.
    env: { ...FEW_CONNECTIONS, LOCK_WAIT_MS: '5' },
    strategies: ['for-update'],
    mode: 'single',
    goods: 1,
    clients: 2,
    seed: HOT,
    finds: { promise: 'availability', sentence: /was refused as busy, although no other call/ },
  },
  {
    name: 'health has no connection of its own',
    edits: [ONE_SHARE, { file: ENGINES, from: "{ purpose: 'health' }", to: '{}' }],
    env: { ...FEW_CONNECTIONS, LOCK_WAIT_MS: '50' },
    strategies: ['for-update'],
    mode: 'single',
    goods: 1,
    clients: 2,
    seed: HOT,
    finds: { promise: 'availability', sentence: /was told that mysql is down/ },
  },
  {
    name: 'a strategy that is not enabled sells',
    edits: [{ file: REGISTRY, from: 'if (!on.has(name))', to: 'if (false)' }],
    env: { STRATEGIES: 'sql-atomic' },
    strategies: ['sql-atomic'],
    disabled: ['no-lock', 'mutex', 'for-update'],
    mode: 'single',
    seed: 1,
    finds: { promise: 'enabled', sentence: /which is not enabled, was answered \d+, not 404/ },
  },
];
