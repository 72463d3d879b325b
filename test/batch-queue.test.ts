import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { migrate } from '../src/database/migrate.js';
import { ROOT } from '../src/lab/paths.js';
import { labConnection, migrationEnvironment } from '../src/lab/servers.js';
import { LAB_ACCOUNT } from '../src/lab/engines/mariadb.js';
import { servers } from './support/test-shop.js';

const SEEDS = 100;
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

/** Plays random plans against the database, perhaps with a planted bug. Resolves with what the program said. */
async function play(mutation?: Mutation): Promise<{ code: number; said: string }> {
  const runner = join(ROOT, 'test/support/run-typescript.cjs');
  const child = spawn(
    process.execPath,
    [runner, join(ROOT, 'test/batch-model/main.ts'), '1', String(SEEDS)],
    {
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: environment['DATABASE_URL'],
        LAB_URL: `mysql://${LAB_ACCOUNT}:${servers.secrets.labPassword}@127.0.0.1:${servers.databasePort}/${database}`,
        ...(mutation && { LOCKSTOCK_MUTATION: JSON.stringify(mutation) }),
      },
    },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}

test('every order of a batch is answered as if orders were served one after the other', async () => {
  expect(await play()).toEqual({ code: 0, said: `${SEEDS} seeds: no difference\n` });
});

/** A cluster gives each member numbers of its own. */
describe('where the server numbers lines in steps of three', () => {
  const numberInSteps = async (step: number) => {
    const connection = await labConnection(servers);
    await connection.query(`SET GLOBAL auto_increment_increment = ${step}`);
    await connection.end();
  };
  beforeAll(() => numberInSteps(3));
  afterAll(() => numberInSteps(1));

  test('every order is told the id of its line', async () => {
    expect(await play()).toEqual({ code: 0, said: `${SEEDS} seeds: no difference\n` });
  });

  test('ids that are counted in steps of one are found', async () => {
    const edits = [['firstId + index * idStep', 'firstId + index']] as const;
    expect(await play({ file: LEDGER, edits })).toMatchObject({
      code: 1,
      said: expect.stringMatching(/was told order/) as string,
    });
  });
});

const BATCH = 'src/strategies/process/batch.ts';
const QUEUE = 'src/strategies/support/batch-queue.ts';
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
    /not in the ledger|not line|but the ledger says/,
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
    /although its key had sold|is not line/,
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
    /although|its key had sold|not line|the ledger says|"sold out"|lines/,
  ],
  [
    'outcomes that reach the wrong callers',
    { file: QUEUE, edits: [['settle(others[index] as', 'settle(others[followers.length - 1 - index] as']] },
    /is not line|was told/,
  ],
  [
    'a client that hung up and stays in the queue',
    { file: QUEUE, edits: [['const onAbort = () => {\n        leave();', 'const onAbort = () => {']] },
    /LockTimeout|is not line|lines/,
  ],
  [
    'a retry that lets further orders join',
    {
      file: QUEUE,
      edits: [['(items ??= [item, ...this.admit(followers)])', '(items = [item, ...this.admit(followers)])']],
    },
    /was|line/,
  ],
  [
    'an unanswered COMMIT that is told as "nothing was sold"',
    {
      file: 'src/database/database.ts',
      edits: [['throw new OutcomeUnknown();', "throw new EngineUnavailable('database');"]],
    },
    /is not line|lines/,
  ],
];

test.each(PLANTED)('%s is found', async (_, mutation, finds) => {
  expect(await play(mutation)).toMatchObject({ code: 1, said: expect.stringMatching(finds) as string });
});
