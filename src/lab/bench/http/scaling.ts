import { type Connection } from 'mysql2/promise';
import { Target } from '../../load/target.js';
import { type InstanceGroup, type PrivateSystem } from '../../private-system.js';
import { labConnection } from '../../servers.js';
import { type BenchOptions } from '../options.js';
import { type PartReport, type TableReport } from '../report.js';
import { type BenchStep, takeTurns, type Turns } from '../turns.js';
import { AMPLE_STOCK, type HttpLoad, post, sellBy } from './load.js';
import { forUpdate, sellRaw } from './raw-mysql.js';

/** For the curve over instances; the other curves use the usual number. */
export const MOST_INSTANCES = 6;
const USUAL_INSTANCES = 3;
const SEGMENTS = [1, 2, 5, 10, 20];
const SEGMENT_INSTANCES = 2;
export const SEGMENT_GROUPS: readonly InstanceGroup[] = SEGMENTS.map((count) => ({
  ...{ name: `segments-${count}`, instances: SEGMENT_INSTANCES },
  env: { STOCK_SEGMENTS: String(count) },
}));

const BUYERS = [1, 8, 32, 128];
const GOODS = [1, 10, 100, 1000];
/** Above the ids of the catalogue. */
const FIRST_GOODS = 1001;
const ORDERS_PER_COMMIT = [1, 10, 50, 200, 500];
const RAW_GOODS = 1;

/** More than the stock of the read-mostly load, so it is always refused. */
const TOO_MANY = 100;
const SMALL_STOCK = TOO_MANY - 1;
const READS = 0.95;

interface Bench {
  readonly target: Target;
  readonly connection: Connection;
  readonly buyers: number;
  readonly seconds: number;
}

/** How throughput changes with the number of instances, buyers, goods, orders per commit and segments. */
export async function scaling(
  { shop, servers, database }: PrivateSystem,
  turns: Turns,
  { buyers }: BenchOptions,
): Promise<PartReport> {
  // Before further goods are added: load goes to the last goods of the catalogue.
  const target = await Target.open(shop.url, shop.adminToken);
  const connection = await labConnection(servers.addresses, database);
  try {
    await addGoods(connection, Math.max(...GOODS));
    const bench = { target, connection, buyers, seconds: turns.seconds };
    const tables: TableReport[] = [];
    for (const { steps, ...table } of curves(bench))
      tables.push({ unit: 'per second', ...table, points: await takeTurns(steps, turns) });
    return {
      ...{ name: 'scaling', tables },
      notes: [
        `${buyers} buyers and ${USUAL_INSTANCES} instances where nothing else is said; segments are sold by ${SEGMENT_INSTANCES} instances.`,
        `Mostly reads: ${READS * 100} % of the requests ask for more than the stock and are answered “sold out”; the value counts all answers.`,
      ],
    };
  } finally {
    await connection.end();
  }
}

type Curve = Pick<TableReport, 'title' | 'axis' | 'relativeTo'> & { readonly steps: readonly BenchStep[] };

function curves({ target, connection, buyers, seconds }: Bench): readonly Curve[] {
  const usual = { buyers, seconds, servedBy: USUAL_INSTANCES };
  const sold = (name: string, x: number, load: HttpLoad): BenchStep => ({
    ...{ name, x },
    measure: (stop) => sellBy(target, name, load, stop),
  });
  const instances = Array.from({ length: MOST_INSTANCES }, (_, index) => index + 1);
  return [
    {
      ...{ title: 'Instances', axis: 'instances' },
      steps: instances.flatMap((x) => [
        {
          ...{ name: 'no-op POST', x },
          measure: (stop) => post(target, '/noop', { ...usual, servedBy: x }, stop),
        },
        ...['for-update', 'batch', 'redis-lua'].map((name) => sold(name, x, { ...usual, servedBy: x })),
      ]),
    },
    {
      ...{ title: 'Buyers', axis: 'buyers' },
      steps: BUYERS.flatMap((x) =>
        ['for-update', 'batch', 'redis-lua'].map((name) => sold(name, x, { ...usual, buyers: x })),
      ),
    },
    {
      ...{ title: 'Goods', axis: 'goods, chosen at random' },
      steps: GOODS.flatMap((x) =>
        ['for-update', 'batch', 'reentrant'].map((name) => soldFromMany(target, name, x, usual)),
      ),
    },
    {
      ...{ title: 'Orders in one commit', axis: 'orders, by mysql2 on one connection' },
      steps: ORDERS_PER_COMMIT.map((x) => ({
        ...{ name: 'mysql2', x },
        measure: async (stop) => {
          await target.selling(RAW_GOODS).reset(AMPLE_STOCK);
          return sellRaw(forUpdate(x), [connection], { goodsId: RAW_GOODS, seconds, stop });
        },
      })),
    },
    {
      ...{ title: 'Segments', axis: 'segments' },
      steps: SEGMENTS.map((x) => sold('segmented', x, { ...usual, servedBy: `segments-${x}` })),
    },
    {
      ...{ title: 'Mostly reads', relativeTo: ['for-update'] },
      steps: ['read-write', 'reentrant', 'for-update', 'sql-atomic'].map((name) =>
        mostlyReads(target, name, usual),
      ),
    },
  ];
}

function soldFromMany(target: Target, name: string, goods: number, load: HttpLoad): BenchStep {
  const path = () => `/goods/${FIRST_GOODS + Math.floor(Math.random() * goods)}/deduct/${name}`;
  const each = () => ({ path: path(), body: '{"quantity":1}' });
  return { name, x: goods, measure: (stop) => post(target, path(), { ...load, each }, stop) };
}

function mostlyReads(target: Target, name: string, load: HttpLoad): BenchStep {
  const path = `/goods/${target.goodsId}/deduct/${name}`;
  const each = () => ({ path, body: `{"quantity":${Math.random() < READS ? TOO_MANY : 1}}` });
  return {
    name,
    measure: async (stop) => {
      await target.reset(SMALL_STOCK);
      return post(target, path, { ...load, each, countAnswers: true }, stop);
    },
  };
}

/** Copies of the first goods, each with a run of its own. */
async function addGoods(connection: Connection, count: number): Promise<void> {
  const [columns] = await connection.query<never[]>('SHOW COLUMNS FROM goods');
  const names = (columns as { Field: string }[]).map(({ Field }) => Field);
  const others = names.filter((name) => !['id', 'run_id', 'inventory', 'supply'].includes(name)).join(', ');
  const ids = Array.from({ length: count }, (_, index) => FIRST_GOODS + index);
  for (const id of ids) {
    await connection.query('INSERT INTO runs (id, goods_id, initial) VALUES (?, ?, ?)', [
      id,
      id,
      AMPLE_STOCK,
    ]);
    await connection.query(
      `INSERT INTO goods (id, run_id, inventory, supply, ${others}) SELECT ?, ?, ?, ?, ${others} FROM goods WHERE id = 1`,
      [id, id, AMPLE_STOCK, AMPLE_STOCK],
    );
  }
}
