import { Redis } from 'ioredis';
import { STEPS_HEADER } from '../../checkpoints/checkpoint-protocol.js';
import { scriptTexts } from '../../checkpoints/redis-commands.js';
import { type Audit } from '../../contract/audit.js';
import { type StrategyMetadata } from '../../contract/strategy.js';
import { type Instance } from '../test-bed/instance.js';
import { send } from '../test-bed/purchase.js';
import { GOODS, type TestBed } from '../test-bed/test-bed.js';
import { redisStockKeys } from '../../redis-stock/redis-stock-keys.js';
import { EtcdLeases, ZookeeperLeases } from './coordination-leases.js';
import { type HeldLease, Leases, type LeaseSource } from './leases.js';

/** How many purchases open the connections of an instance before the first schedule. */
const WARM_UP = 3;
const NO_STRATEGY = 'none';
/** Longer than another instance takes to write an order that a killed one had accepted. */
const LEFT_OVER_MS = 3000;

/** What is committed after a step. */
export interface StockState {
  readonly inventory: number;
  /** Sales in the ledger. */
  readonly orders: number;
  readonly redisStock?: number;
  readonly locks: readonly { readonly what: string; readonly owner: string }[];
}

/** The servers behind a schedule: reset before it, judged after it. */
export class ExploredBed {
  /** The processes that are ready for the strategy. */
  private readonly warm = new Set<number>();

  private constructor(
    readonly testBed: TestBed,
    private readonly strategy: StrategyMetadata,
    readonly leases: Leases,
    private readonly clients: ReadonlyMap<string, Redis>,
    private readonly names: ReadonlyMap<number, string>,
  ) {}

  /** Connects to the servers that the strategy needs. */
  static async open(testBed: TestBed, strategy: StrategyMetadata): Promise<ExploredBed> {
    const { needs } = strategy;
    const { labPassword } = testBed.servers.addresses.secrets;
    const ports = new Map([['redis', testBed.redis.node.port]]);
    if (needs.includes('redlock')) {
      await testBed.redlock.ensure();
      testBed.redlock.ports.forEach((port, index) => ports.set(`redlock-${index + 1}`, port));
    }
    const clients = new Map([...ports].map(([name, port]) => [name, connect(port, labPassword)]));
    const names = new Map([...ports].map(([name, port]) => [port, name]));
    const services: LeaseSource[] = [];
    const bed = new ExploredBed(testBed, strategy, new Leases(testBed, clients, services), clients, names);
    try {
      for (const client of clients.values()) await loadScripts(client);
      await testBed.startServers([strategy.name]);
      const { etcdUrl, zookeeperUrl } = testBed.servers.addresses;
      if (needs.includes('etcd') && etcdUrl !== undefined) services.push(await EtcdLeases.open(etcdUrl));
      if (needs.includes('zookeeper') && zookeeperUrl !== undefined)
        services.push(await ZookeeperLeases.open(zookeeperUrl));
      return bed;
    } catch (error) {
      bed.close();
      throw error;
    }
  }

  serverAt(port: number): string {
    return this.names.get(port) ?? `redis:${port}`;
  }

  /** That many instances that serve. One that was killed is restarted while another takes its place. */
  async ready(count: number): Promise<readonly Instance[]> {
    const instances = await this.testBed.explored(count);
    const cold = instances.filter(({ pid }) => !this.warm.has(pid));
    for (const instance of cold) await this.testBed.connected(instance, this.strategy.name);
    for (const instance of cold) await this.warmUp(instance);
    return instances;
  }

  /** Waits until the instances have restored the connections that a run has broken. */
  async reconnected(instances: readonly Instance[]): Promise<void> {
    for (const instance of instances) await this.testBed.connected(instance, this.strategy.name);
  }

  /** A few purchases: connections are opened and scripts are loaded before commands are counted. */
  private async warmUp(instance: Instance): Promise<void> {
    const { name } = this.strategy;
    // The first held request replaces the clock of the instance, so the timers of all leases use the replaced clock.
    const first = { strategy: NO_STRATEGY, goodsId: GOODS };
    await send(first, instance.url, 'nobody', { [STEPS_HEADER]: 'every-command' });
    // Some strategies do not release their lock: each purchase finds it free.
    for (let purchase = 0; purchase < WARM_UP; purchase += 1) {
      await this.reset(instance, WARM_UP, name);
      await send({ strategy: name, goodsId: GOODS }, instance.url, 'nobody');
    }
    this.warm.add(instance.pid);
  }

  async reset(instance: Instance, stock: number, strategy: string): Promise<void> {
    await this.leases.clear();
    await this.testBed.reset(instance, stock, strategy);
  }

  /**
   * The audit once nothing is in flight, and the orders in the ledger. After a fault, a reservation in Redis may stay in flight
   * until the reconciler returns it, long after the run.
   */
  async judge(
    instance: Instance,
    mayLeave: boolean,
  ): Promise<{ audit: Audit; written: ReadonlySet<number> }> {
    const audit = mayLeave
      ? await this.testBed.settledAudit(instance, LEFT_OVER_MS).catch(() => this.testBed.audit(instance))
      : await this.testBed.settledAudit(instance);
    const rows = (await this.testBed.rows(
      "SELECT COALESCE(number, id) AS orderId FROM orders WHERE run_id = ? AND kind = 'SALE'",
      [audit.runId],
    )) as { orderId: number }[];
    return { audit, written: new Set(rows.map(({ orderId }) => orderId)) };
  }

  /** The stock, the ledger and the locks now. */
  async state(ownerOf: (lease: HeldLease) => string | undefined): Promise<StockState> {
    const [[goods], orders, redisStock, leases] = await Promise.all([
      this.testBed.rows('SELECT inventory, run_id AS runId FROM goods WHERE id = ?', [GOODS]),
      this.testBed.rows(
        `SELECT COUNT(*) AS count FROM orders JOIN goods ON goods.run_id = orders.run_id
         WHERE goods.id = ? AND orders.kind = 'SALE'`,
        [GOODS],
      ),
      this.clients.get('redis')?.get(redisStockKeys(GOODS).stock),
      this.leases.held(),
    ]);
    const { inventory } = goods as { inventory: number };
    const [{ count }] = orders as [{ count: number }];
    const locks = leases.map((lease) => ({ what: lease.what, owner: ownerOf(lease) ?? 'no buyer' }));
    return {
      inventory,
      orders: count,
      ...(redisStock != null && { redisStock: Number(redisStock) }),
      locks,
    };
  }

  close(): void {
    for (const client of this.clients.values()) client.disconnect();
    this.leases.close();
  }
}

function connect(port: number, password: string): Redis {
  const client = new Redis({ host: '127.0.0.1', port, username: 'lab', password });
  // A command that fails says so itself.
  client.on('error', () => undefined);
  return client;
}

/** Whether a script must be sent as text depends on earlier runs: then the same choices would lead to other commands. */
async function loadScripts(client: Redis): Promise<void> {
  // A part that several scripts share is not a script.
  await Promise.all(scriptTexts().map((text) => client.script('LOAD', text).catch(() => undefined)));
}
