import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createPool, type Pool } from 'mysql2/promise';
import { type ProcessView, type SystemView } from '../../../contract/lab-system.js';
import { LAB_ACCOUNT } from '../../engines/mariadb.js';
import { ROOT } from '../../paths.js';
import { type Supervised } from '../../processes/supervisor.js';
import { type ServerAddresses } from '../../servers.js';
import { type Shop } from '../../shop.js';
import { Pulse } from '../event-log.js';
import { json, type Route } from '../route.js';
import { instanceMetrics } from './instance-metrics.js';
import { mysqlLocks } from './mysql-locks.js';
import { redisLocks } from './redis-locks.js';

export interface SystemParts {
  readonly shop: Shop;
  readonly engines: readonly Supervised[];
  readonly addresses: ServerAddresses;
  readonly database: string;
}

const FRESH_MS = 500;
const PULSE_MS = 1000;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

/** The state of everything that runs. The servers are asked at most twice a second, however many clients there are. */
export class System {
  private readonly startedAt = new Date().toISOString();
  private readonly redis: Redis;
  private readonly redlock: Redis | undefined;
  private readonly mysql: Pool;
  private last: { readonly at: number; readonly view: Promise<SystemView> } | undefined;

  constructor(private readonly parts: SystemParts) {
    const { addresses, database } = parts;
    this.redis = onlooker(addresses.redisLabUrl);
    // A majority of the masters has the lock: the first master is enough to show it.
    const [firstMaster] = addresses.redlockUrls;
    this.redlock = firstMaster === undefined ? undefined : onlooker(firstMaster);
    this.mysql = createPool({
      host: '127.0.0.1',
      port: addresses.databasePort,
      user: LAB_ACCOUNT,
      password: addresses.secrets.labPassword,
      database,
      connectionLimit: 1,
      connectTimeout: 1000,
    });
  }

  view(): Promise<SystemView> {
    const now = performance.now();
    if (!this.last || now - this.last.at > FRESH_MS) this.last = { at: now, view: this.look() };
    return this.last.view;
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    this.redlock?.disconnect();
    await this.mysql.end().catch(() => undefined);
  }

  private async look(): Promise<SystemView> {
    const { shop, engines } = this.parts;
    const [metrics, ...locks] = await Promise.all([
      Promise.all(
        shop.instances.map(({ engine }, index) =>
          instanceMetrics(engine.name, shop.instanceUrls[index] ?? ''),
        ),
      ),
      ...[
        redisLocks(this.redis),
        this.redlock ? redisLocks(this.redlock) : Promise.resolve([]),
        mysqlLocks(this.mysql),
        // A server that does not answer shows no locks; that it is down is seen elsewhere.
      ].map((look) => look.catch(() => [])),
    ]);
    const answered = metrics.filter((metric) => metric !== undefined);
    return {
      version,
      startedAt: this.startedAt,
      instances: shop.instances.map(processView),
      engines: [...engines, shop.nginx].map(processView),
      pools: answered.map(({ pool }) => pool),
      locks: locks.flat(),
      streamLag: answered.find(({ streamLag }) => streamLag !== null)?.streamLag ?? null,
    };
  }
}

export function systemRoutes(system: System): Route[] {
  const pulse = new Pulse('system', PULSE_MS, () => system.view());
  return [
    { method: 'GET', path: '/lab/system', handle: async () => json(await system.view()) },
    { method: 'GET', path: '/lab/system/stream', handle: () => ({ events: pulse }) },
  ];
}

function processView(process: Supervised): ProcessView {
  const { state, restarts } = process;
  return { name: process.engine.name, pid: process.pid ?? null, state, restarts };
}

/** A connection that fails at once while its server is down, and reports no error. */
function onlooker(url: string): Redis {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    connectTimeout: 1000,
    retryStrategy: () => 1000,
  });
  client.on('error', () => undefined);
  return client;
}
