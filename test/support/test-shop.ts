import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Audit } from '../../src/contract/audit.js';
import { type StrategyListing } from '../../src/contract/strategy.js';
import { DataFolder } from '../../src/lab/data-folder.js';
import { type RateLimit } from '../../src/lab/engines/nginx.js';
import { freePort } from '../../src/lab/ports.js';
import { ProcessReaper } from '../../src/lab/processes/process-reaper.js';
import { type Supervised } from '../../src/lab/processes/supervisor.js';
import { labConnection, type ServerAddresses } from '../../src/lab/servers.js';
import { Shop } from '../../src/lab/shop.js';
import { eventually } from './eventually.js';

const ofWorkers = JSON.parse(process.env['LOCKSTOCK_TEST_SERVERS'] ?? '[]') as ServerAddresses[];
/** The servers of this worker; none in tests that were started without the set-up of all tests. */
export const servers = ofWorkers[Number(process.env['JEST_WORKER_ID'] ?? 1) - 1] ?? ({} as ServerAddresses);

let shops = 0;

export interface TestShopOptions {
  readonly instances: number;
  readonly rateLimit?: RateLimit;
  readonly env?: Readonly<Record<string, string>>;
  /** Where the test will have the lab's API listen. */
  readonly labPort?: number;
  /** Private servers, for a test that breaks them. */
  readonly servers?: ServerAddresses;
  /** Other builds of the project, whose instances are started in turn. */
  readonly roots?: readonly string[];
}

/** Redis has as many databases by default. */
const REDIS_DATABASES = 16;
const TRIES = 10;

/** A private shop for a test file: own databases and instances on the shared servers. */
export class TestShop {
  private constructor(
    readonly shop: Shop,
    readonly servers: ServerAddresses,
    readonly database: string,
    readonly folder: DataFolder,
    private readonly reaper: ProcessReaper,
  ) {}

  static async open({
    instances,
    env = {},
    servers: given = servers,
    rateLimit,
    labPort,
    roots,
  }: TestShopOptions): Promise<TestShop> {
    const reaper = new ProcessReaper();
    const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-shop-')));
    reaper.addFile(folder.path);
    shops += 1;
    const database = `lockstock_${process.pid}_${shops}_${Date.now()}`;
    const connection = await labConnection(given);
    await connection.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
    await connection.end();
    const servers = await withOwnRedisDatabase(given);
    try {
      const shop = await Shop.plan({
        folder,
        reaper,
        servers,
        database,
        instances,
        port: await freePort(),
        report: () => undefined,
        rateLimit,
        labPort,
        roots,
        // A busy machine must not look like overload, which test/overload.test.ts tests.
        env: { LOCK_LEASE_MS: '2000', MAX_EVENT_LOOP_DELAY_MS: '20000', ...env },
      });
      await shop.start();
      return new TestShop(shop, servers, database, folder, reaper);
    } catch (error) {
      // Processes that run already would keep the whole run from ending.
      await reaper.close();
      throw error;
    }
  }

  get url(): string {
    return this.shop.url;
  }

  instance(index: number): Supervised {
    const found = this.shop.instances[index];
    if (!found) throw new Error(`no instance ${index}`);
    return found;
  }

  get headers(): Record<string, string> {
    // With the admin token nginx does not limit the rate.
    return { 'content-type': 'application/json', authorization: `Bearer ${this.shop.adminToken}` };
  }

  async close(): Promise<void> {
    await this.shop.stop();
    await this.reaper.close();
  }

  async get<T>(path: string): Promise<T> {
    return (await answered(`GET ${path}`, () => fetch(`${this.url}${path}`))) as T;
  }

  /** Sends any body to any path; a string is sent unchanged. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { ...this.headers, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** `stock`: the store that the run begins in. */
  async reset(goodsId: number, inventory: number, stock: 'mysql' | 'redis' = 'mysql'): Promise<void> {
    await answered('reset', () => this.post(`/goods/${goodsId}/reset`, { inventory, stock }));
  }

  /** Waits until each instance says of the strategy that it is available, or that it is not. */
  async listed(strategy: string, available = true, urls = this.shop.instanceUrls): Promise<void> {
    for (const url of urls)
      await eventually(
        `${strategy} is listed as ${available ? '' : 'not '}available`,
        async () => (await isAvailable(strategy, url)) === available,
      );
  }

  audit(goodsId: number): Promise<Audit> {
    return this.get(`/goods/${goodsId}/audit`);
  }

  /** The audit, once every reservation in Redis is in the ledger or was returned. */
  async settledAudit(goodsId: number): Promise<Audit> {
    let audit = await this.audit(goodsId);
    const settled = async () => audit.inFlight === 0 || (audit = await this.audit(goodsId)).inFlight === 0;
    await eventually('nothing is in flight', settled, 50_000);
    return audit;
  }

  /** A client of this shop's Redis database, with the lab's account. */
  redis(): Redis {
    return new Redis(this.servers.redisLabUrl);
  }

  /** The order ids of the current run's sales, as on the receipts, read from the ledger. */
  async soldOrderIds(goodsId: number): Promise<number[]> {
    const connection = await labConnection(this.servers, this.database);
    const [rows] = await connection.query(
      `SELECT COALESCE(number, orders.id) AS id
       FROM orders JOIN goods ON goods.id = orders.goods_id AND goods.run_id = orders.run_id
       WHERE goods_id = ? AND kind = 'SALE' ORDER BY 1`,
      [goodsId],
    );
    await connection.end();
    return (rows as { id: number }[]).map(({ id }) => id);
  }
}

/** Requests that are not under test are retried while an instance is busy, because the machine may be. */
async function answered(what: string, ask: () => Promise<Response>): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    const response = await ask();
    if (response.ok) return response.json();
    const text = await response.text();
    if (tries === TRIES || response.status !== 503 || !text.includes('"busy"')) {
      throw new Error(`${what}: ${response.status} ${text}`);
    }
    await sleep(100 * tries);
  }
}

/** Shops number their goods alike, so each needs a Redis database of its own. */
async function withOwnRedisDatabase(given: ServerAddresses): Promise<ServerAddresses> {
  const at = (url: string) => url.replace(/\d+$/, String(shops % REDIS_DATABASES));
  const redisLabUrl = at(given.redisLabUrl);
  const redis = new Redis(redisLabUrl);
  await redis.flushdb();
  redis.disconnect();
  return { ...given, redisUrl: at(given.redisUrl), redisLabUrl };
}

/** The same server, with the lab's account: it may look at every key. */
export function asLab(serviceUrl: string): string {
  const url = new URL(serviceUrl);
  const lab = new URL(servers.redisLabUrl);
  [url.username, url.password] = [lab.username, lab.password];
  return url.href;
}

/** Undefined when the instance is too busy to answer. */
async function isAvailable(strategy: string, at: string): Promise<boolean | undefined> {
  const response = await fetch(`${at}/strategies`);
  if (!response.ok) return undefined;
  const listings = (await response.json()) as StrategyListing[];
  return listings.some(({ name, available }) => name === strategy && available);
}
