import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { migrate } from '../src/database/migrate.js';
import { ROOT } from '../src/lab/paths.js';
import { labConnection, migrationEnvironment } from '../src/lab/servers.js';
import { LAB_ACCOUNT } from '../src/lab/engines/mariadb.js';
import { servers } from './support/test-shop.js';

const SEEDS = 100;
/** A planted bug ends the search, so these are played only as far as needed: some bugs are rare on a busy machine. */
const SEEDS_TO_FIND = 1500;
const database = `lockstock_batch_${process.pid}_${Date.now()}`;
const environment = migrationEnvironment(servers, database);

beforeAll(async () => {
  const connection = await labConnection(servers);
  await connection.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
  await connection.end();
  await migrate(environment['MIGRATIONS_URL'] ?? '', environment['DATABASE_URL'] ?? '');
});

interface Mutation {
  readonly file: string;
  readonly edits: readonly (readonly [from: string, to: string])[];
}

/** Plays random plans against the database, perhaps with a planted bug. */
function play(mutation?: Mutation): Promise<{ code: number; said: string }> {
  return run('main.ts', ['1', String(mutation ? SEEDS_TO_FIND : SEEDS)], mutation);
}

/** Runs a program of `batch-model`, perhaps with a planted bug. Resolves with what it said. */
async function run(program: string, args: readonly string[], mutation?: Mutation) {
  const runner = join(ROOT, 'test/support/run-typescript.cjs');
  const child = spawn(process.execPath, [runner, join(ROOT, 'test/batch-model', program), ...args], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: environment['DATABASE_URL'],
      LAB_URL: `mysql://${LAB_ACCOUNT}:${servers.secrets.labPassword}@127.0.0.1:${servers.databasePort}/${database}`,
      ...(mutation && { LOCKSTOCK_MUTATION: JSON.stringify(mutation) }),
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}

test('every order of a batch gets the answer that it would get if orders were served one after the other', async () => {
  expect(await play()).toEqual({ code: 0, said: `${SEEDS} seeds: no difference\n` });
});

/** In a cluster each server assigns every n-th number. */
describe('on a server that numbers rows in steps of three', () => {
  const numberInSteps = async (step: number) => {
    const connection = await labConnection(servers);
    await connection.query(`SET GLOBAL auto_increment_increment = ${step}`);
    await connection.end();
  };
  beforeAll(() => numberInSteps(3));
  afterAll(() => numberInSteps(1));

  test('every order gets the id of its row', async () => {
    expect(await play()).toEqual({ code: 0, said: `${SEEDS} seeds: no difference\n` });
  });

  test('a planted bug is found: ids that are counted in steps of one', async () => {
    const edits = [['firstId + index * idStep', 'firstId + index']] as const;
    expect(await play({ file: LEDGER, edits })).toMatchObject({
      code: 1,
      said: expect.stringMatching(/was told order/) as string,
    });
  });
});

/** What orders are told when an outcome reaches another order, or an order is written twice. */
const MIXED_UP =
  /: the ledger says \d+ → \d+, but|was told order \d+ and \d+ left, but|is not line \d+ of the ledger|was told "sold out", but \d+ were left|was told that its key had sold, but|was sold although its key had sold|was "gone", but its client was there/;

const BATCH = 'src/strategies/process/batch.ts';
const QUEUE = 'src/strategies/support/batch-queue.ts';
const BOUNDED_WAIT = 'src/locks/bounded-wait.ts';
const FIRST_COME = 'src/stock/first-come.ts';
const LEDGER = 'src/stock/ledger.ts';

const PLANTED: readonly (readonly [bug: string, mutation: Mutation, finds: RegExp])[] = [
  [
    'an answer before COMMIT',
    {
      file: BATCH,
      edits: [
        [
          'this.database.transaction((sql) => this.sellOn(sql, { goodsId, attempts, close }), { goodsId }),',
          `new Promise((answer, fail) => {
             const sold = async (sql) => {
               const outcomes = await this.sellOn(sql, { goodsId, attempts, close });
               answer(outcomes);
               return outcomes;
             };
             this.database.transaction(sold, { goodsId }).catch(fail);
           }),`,
        ],
      ],
    },
    /was told that it was sold, but it is not in the ledger|is not line \d+ of|but the ledger says \d+ and/,
  ],
  [
    'keys that are not looked at',
    {
      file: BATCH,
      edits: [
        [
          'batch.map(({ order }) => order)',
          'batch.map(({ order }) => ({ ...order, idempotencyKey: undefined }))',
        ],
        ['return [{ order, facts:', 'return [{ order: { ...order, idempotencyKey: undefined }, facts:'],
      ],
    },
    /was sold although its key had sold|is not line \d+ of the ledger/,
  ],
  [
    'one stock before all sales of a batch',
    { file: FIRST_COME, edits: [['return left + quantity;', 'return inventory;']] },
    /the ledger says/,
  ],
  [
    'a refused order that takes its units',
    {
      file: FIRST_COME,
      edits: [['if (quantity > left) return', 'if (quantity > left && ((left = 0), true)) return']],
    },
    /was told "sold out"/,
  ],
  [
    'a refused order that fails its neighbours',
    {
      file: BATCH,
      edits: [
        [
          'const sales = batch.flatMap(',
          `const refusal = decisions.find((decision) => typeof decision !== 'number');
           if (refusal) throw refusal;
           const sales = batch.flatMap(`,
        ],
      ],
    },
    /was told "sold out"|was told that its key|was "gone"/,
  ],
  [
    'an order that the server refuses fails its neighbours',
    {
      file: BATCH,
      edits: [['if (batch.length < 2 || mysqlErrno(error) === undefined) throw error;', 'throw error;']],
    },
    /was told that its key had sold/,
  ],
  [
    'a lost wake-up at the end of a batch',
    {
      file: QUEUE,
      edits: [['if (next) next.lead();\n    else this.underWay = false;', 'this.underWay = !next && false;']],
    },
    /"refused" \(LockTimeout/,
  ],
  [
    'a second batch beside the first',
    { file: QUEUE, edits: [['if (this.underWay) {', 'if (this.underWay && this.waiting.length > 0) {']] },
    MIXED_UP,
  ],
  [
    'outcomes that reach the wrong callers',
    { file: QUEUE, edits: [['settle(others[index] as', 'settle(others[followers.length - 1 - index] as']] },
    MIXED_UP,
  ],
  [
    'a client that hung up and stays in the queue',
    { file: BOUNDED_WAIT, edits: [['const onAbort = () => {\n      end();', 'const onAbort = () => {']] },
    /"refused" \(LockTimeout|is not line \d+ of the ledger|the ledger has \d+ lines, but/,
  ],
  [
    'a retry that lets further orders join',
    {
      file: QUEUE,
      edits: [['(items ??= [item, ...this.admit(followers)])', '(items = [item, ...this.admit(followers)])']],
    },
    MIXED_UP,
  ],
  [
    'an unanswered COMMIT that is told as "nothing was sold"',
    {
      file: 'src/database/database.ts',
      edits: [['throw new OutcomeUnknown();', "throw new EngineUnavailable('database');"]],
    },
    /is not line \d+ of the ledger|the ledger has \d+ lines, but/,
  ],
];

describe('orders of a batch that the server refuses are sold one by one', () => {
  // For each order the program waits a second for the row.
  const unbounded = { file: BATCH, edits: [['unavailable = outcome;', ';']] } as const;
  const outcome = async (mutation?: Mutation) => {
    const { code, said } = await run('fallback.ts', [], mutation);
    return { code, ...(JSON.parse(said) as { told: string[]; transactions: number; remaining: number }) };
  };

  test('and wait once together when the row stays locked', async () => {
    expect(await outcome()).toEqual({
      code: 0,
      told: Array.from({ length: 12 }, () => 'LockTimeout'),
      // That of the batch, and that of the first order.
      transactions: 2,
      remaining: 99,
    });
  });

  test('a wait of each of them is found', async () => {
    expect(await outcome(unbounded)).toMatchObject({ code: 0, transactions: 13 });
  });
});

test.each(PLANTED)('%s is found', async (_, mutation, finds) => {
  expect(await play(mutation)).toMatchObject({ code: 1, said: expect.stringMatching(finds) as string });
});
