import { type Connection } from 'mysql2/promise';
import { Target } from '../../load/target.js';
import { BARE_SERVICE_PROGRAM } from '../../paths.js';
import { type InstanceGroup, type PrivateSystem } from '../../private-system.js';
import { labConnection } from '../../servers.js';
import { HOT_ROW } from '../bars.js';
import { type BenchOptions } from '../options.js';
import { type PartReport } from '../report.js';
import { type Measured, type BenchStep, takeTurns, type Turns } from '../turns.js';
import { type HttpLoad, post, sellBy } from './load.js';
import { forUpdate, type RawSale, sellRaw, sqlAtomic, storedProcedure } from './raw-mysql.js';

export const INSTANCES = 3;
/** The servers that these strategies need. */
export const ONLY = ['redis'] as const;
const BARE = 'bare';
/** Behind the same gateway as the service. */
export const BARE_SERVICE: InstanceGroup = {
  name: BARE,
  instances: INSTANCES,
  program: BARE_SERVICE_PROGRAM,
};

const STRATEGIES = [
  ...['for-update', 'sql-atomic', 'stored-procedure', 'batch', 'redis-lua', 'reentrant', 'segmented'],
  'cas-version',
];
const RAW_CONNECTIONS = 16;
const RAW_GOODS = 1;
const RAW: readonly (readonly [name: string, sale: RawSale, connections: number])[] = [
  ['mysql2: for-update', forUpdate(1), RAW_CONNECTIONS],
  ['mysql2: sql-atomic', sqlAtomic, RAW_CONNECTIONS],
  ['mysql2: stored-procedure', storedProcedure, RAW_CONNECTIONS],
  ...[10, 50, 200].map((orders) => [`mysql2: ${orders} orders a commit`, forUpdate(orders), 1] as const),
];

/** How fast one hot row sells: through nginx on three instances, and the same statements by mysql2 alone, without HTTP. */
export async function hotRow(
  { shop, servers, database }: PrivateSystem,
  turns: Turns,
  { buyers }: BenchOptions,
): Promise<PartReport> {
  const target = await Target.open(shop.url, shop.adminToken);
  const connections = await Promise.all(
    Array.from({ length: RAW_CONNECTIONS }, () => labConnection(servers.addresses, database)),
  );
  try {
    const points = await takeTurns(stepsOf(target, connections, { buyers, seconds: turns.seconds }), turns);
    return {
      name: 'http',
      tables: [
        {
          ...{ title: HOT_ROW, unit: 'per second', points },
          relativeTo: ['no-op POST', 'for-update', 'mysql2: for-update'],
        },
      ],
      notes: [
        `${buyers} buyers, ${INSTANCES} instances behind nginx. Each buyer waits for its answer before it buys again.`,
        `mysql2 runs in the process of the load generator, with ${RAW_CONNECTIONS} connections, or with one where a commit has several orders.`,
        'Every commit is on the disk before it is acknowledged.',
      ],
    };
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
}

function stepsOf(target: Target, connections: readonly Connection[], load: HttpLoad): BenchStep[] {
  const { seconds } = load;
  const bare = { ...load, servedBy: BARE };
  return [
    { name: 'bare no-op POST', measure: (stop) => post(target, '/noop', bare, stop) },
    { name: 'no-op POST', measure: (stop) => post(target, '/noop', load, stop) },
    ...STRATEGIES.map((name): BenchStep => ({ name, measure: (stop) => sellBy(target, name, load, stop) })),
    ...RAW.map(([name, sale, count]): BenchStep => ({
      name,
      measure: async (stop): Promise<Measured | undefined> => {
        await target.selling(RAW_GOODS).reset(1_000_000);
        return sellRaw(sale, connections.slice(0, count), { goodsId: RAW_GOODS, seconds, stop });
      },
    })),
  ];
}
