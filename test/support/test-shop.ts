import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Audit } from '../../src/goods/audit.js';
import { DataFolder } from '../../src/lab/data-folder.js';
import { freePort } from '../../src/lab/ports.js';
import { Guard } from '../../src/lab/processes/guard.js';
import { type Supervised } from '../../src/lab/processes/supervisor.js';
import { labConnection, type ServerAddresses } from '../../src/lab/servers.js';
import { Shop } from '../../src/lab/shop.js';

export const servers = JSON.parse(process.env['LOCKSTOCK_TEST_SERVERS'] ?? '{}') as ServerAddresses;

let shops = 0;

export interface TestShopOptions {
  readonly instances: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A shop of its own for a test file: its own database, its own instances, the shared servers. */
export class TestShop {
  private constructor(
    readonly shop: Shop,
    readonly database: string,
    readonly folder: DataFolder,
    private readonly guard: Guard,
  ) {}

  static async open({ instances, env = {} }: TestShopOptions): Promise<TestShop> {
    const guard = new Guard();
    const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-shop-')));
    guard.addFile(folder.path);
    shops += 1;
    const database = `lockstock_${process.pid}_${shops}_${Date.now()}`;
    const connection = await labConnection(servers);
    await connection.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
    await connection.end();
    const shop = await Shop.start({
      folder,
      guard,
      servers,
      database,
      instances,
      port: await freePort(),
      report: () => undefined,
      env: { LOCK_LEASE_MS: '2000', ...env },
    });
    return new TestShop(shop, database, folder, guard);
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
    await this.guard.close();
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.url}${path}`);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Sends any body to any path; a string goes as it is. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { ...this.headers, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  async reset(goodsId: number, inventory: number): Promise<void> {
    const response = await this.post(`/goods/${goodsId}/reset`, { inventory });
    if (!response.ok) throw new Error(`reset: ${response.status} ${await response.text()}`);
  }

  audit(goodsId: number): Promise<Audit> {
    return this.get(`/goods/${goodsId}/audit`);
  }

  /** The ids of the present run's sales, straight from the ledger. */
  async soldOrderIds(goodsId: number): Promise<number[]> {
    const connection = await labConnection(servers, this.database);
    const [rows] = await connection.query(
      `SELECT orders.id FROM orders JOIN goods ON goods.id = orders.goods_id AND goods.run_id = orders.run_id
       WHERE goods_id = ? AND kind = 'SALE' ORDER BY orders.id`,
      [goodsId],
    );
    await connection.end();
    return (rows as { id: number }[]).map(({ id }) => id);
  }
}
