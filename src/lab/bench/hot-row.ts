/**
 * Measures how fast one hot row sells: through nginx on three instances, and the same statements by mysql2 alone. The
 * measurements take turns, so that other work of the machine affects all of them; compare the ratios, not the numbers.
 * `npm run bench:row -- --rounds 5 --seconds 4 --buyers 32 --json bench.json`
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Connection } from 'mysql2/promise';
import { describeMachine, loadAverage } from '../compare/machine.js';
import { DataFolder } from '../data-folder.js';
import { OutcomeTally } from '../load/tally.js';
import { crowd } from '../load/run.js';
import { Target } from '../load/target.js';
import { freePort } from '../ports.js';
import { ProcessReaper } from '../processes/process-reaper.js';
import { ratio, whole } from '../report/numbers.js';
import { textTable } from '../report/text-table.js';
import { labConnection, type ServerAddresses, Servers } from '../servers.js';
import { Shop } from '../shop.js';
import { forUpdate, type RawSale, sellRaw, sqlAtomic, storedProcedure } from './raw-mysql.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    buyers: { type: 'string', default: '32' },
    json: { type: 'string' },
  },
});
const [rounds, seconds, buyers] = [values.rounds, values.seconds, values.buyers].map(Number) as [
  number,
  number,
  number,
];

const INSTANCES = 3;
const STOCK = 1_000_000;
const RAW_CONNECTIONS = 16;
const RAW_GOODS = 1;
const STRATEGIES = ['for-update', 'sql-atomic', 'stored-procedure', 'batch', 'redis-lua'];
const RAW: readonly (readonly [name: string, sale: RawSale, connections: number])[] = [
  ['mysql2: for-update', forUpdate(1), RAW_CONNECTIONS],
  ['mysql2: sql-atomic', sqlAtomic, RAW_CONNECTIONS],
  ['mysql2: stored-procedure', storedProcedure, RAW_CONNECTIONS],
  ['mysql2: 50 orders a commit', forUpdate(50), 1],
];

interface Step {
  readonly name: string;
  /** Resolves with units, or answers, per second. */
  readonly measure: () => Promise<number>;
}

async function throughHttp(target: Target, strategy: string | undefined): Promise<number> {
  const tally = new OutcomeTally(strategy ?? 'noop', STOCK, buyers);
  const path = strategy === undefined ? '/noop' : `/goods/${target.goodsId}/deduct/${strategy}`;
  if (strategy !== undefined) await target.reset(STOCK);
  const load = { stock: STOCK, buyers, requests: Infinity, quantity: 1, seconds, retry: true };
  await crowd(target, path, load, tally, new AbortController().signal);
  return tally.measured().throughput;
}

function stepsOf(target: Target, connections: readonly Connection[]): Step[] {
  return [
    { name: 'no-op POST', measure: () => throughHttp(target, undefined) },
    ...STRATEGIES.map((name) => ({ name, measure: () => throughHttp(target, name) })),
    ...RAW.map(([name, sale, count]) => ({
      name,
      measure: async () => {
        await target.selling(RAW_GOODS).reset(STOCK);
        return sellRaw(sale, connections.slice(0, count), RAW_GOODS, seconds);
      },
    })),
  ];
}

/** Every second round is reversed. The first round warms everything up and does not count. */
async function measured(steps: readonly Step[]): Promise<Map<string, number[]>> {
  const results = new Map(steps.map(({ name }): [string, number[]] => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, measure } of round % 2 === 0 ? steps : steps.toReversed()) {
      const perSecond = await measure();
      if (round > 0) results.get(name)?.push(perSecond);
    }
    console.error(`round ${round} of ${rounds}`);
  }
  return results;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function print(results: ReadonlyMap<string, number[]>): void {
  const medians = new Map([...results].map(([name, all]) => [name, median(all)]));
  const relativeTo = (name: string) => ({
    title: `× ${name}`,
    align: 'right' as const,
    cell: ([row]: [string, number[]]) => ratio((medians.get(row) ?? 0) / (medians.get(name) ?? 1)),
  });
  const columns = [
    { title: 'one hot row', cell: ([name]: [string, number[]]) => name },
    {
      ...{ title: 'per second', align: 'right' as const },
      cell: ([name]: [string, number[]]) => whole(medians.get(name) ?? 0),
    },
    {
      ...{ title: 'spread', align: 'right' as const },
      cell: ([, all]: [string, number[]]) => `${whole(Math.min(...all))}–${whole(Math.max(...all))}`,
    },
    ...['no-op POST', 'for-update', 'mysql2: for-update'].map(relativeTo),
  ];
  console.log(textTable(columns, [...results]));
}

async function benchmark(shop: Shop, addresses: ServerAddresses): Promise<Map<string, number[]>> {
  await shop.start();
  const target = await Target.open(shop.url, shop.adminToken);
  const connections = await Promise.all(
    Array.from({ length: RAW_CONNECTIONS }, () => labConnection(addresses, 'lockstock')),
  );
  try {
    return await measured(stepsOf(target, connections));
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
}

const loadBefore = loadAverage();
const reaper = new ProcessReaper();
const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-bench-')));
reaper.addFile(folder.path);
await folder.occupy({ fresh: false });
const servers = await Servers.start(folder, reaper, console.error, { only: ['redis'] });
const shop = await Shop.plan({
  ...{ folder, reaper, servers: servers.addresses, database: 'lockstock', instances: INSTANCES },
  ...{ port: await freePort(), report: console.error, env: { LOG_LEVEL: 'warn' } },
});
try {
  const results = await benchmark(shop, servers.addresses);
  print(results);
  if (values.json !== undefined) {
    const machine = await describeMachine(servers.addresses, loadBefore);
    const report = { machine, rounds, seconds, buyers, results: Object.fromEntries(results) };
    writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  }
} finally {
  await shop.stop();
  await servers.stop();
  await reaper.close();
}
