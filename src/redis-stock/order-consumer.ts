import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Gauge } from 'prom-client';
import { unobserved } from '../checkpoints/checkpoint.js';
import { Metrics } from '../metrics/metrics.js';
import { RedisConnection } from '../redis/redis.module.js';
import { GoodsChanges } from './goods-changes.js';
import { LARGEST_BATCH, OrderStream, type StreamedOrder } from './order-stream.js';
import { OrderWriter } from './order-writer.js';
import { RedisStock } from './redis-stock.js';

/** Orders that arrive within this time are written together. Their buyers have their receipts: only the row waits. */
const LINGER_MS = 100;
/** How often to check all goods: finds the orders of an instance that died before it woke its consumer. */
const LOOK_AROUND_MS = 1000;

/**
 * Writes accepted orders from the stream in Redis to MySQL. Every instance has one consumer. An order is acknowledged to
 * Redis only after the COMMIT. If the instance is killed, another consumer gets the order, and the ledger shows whether it
 * is written.
 */
@Injectable()
export class OrderConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Orders');
  private readonly woken = new Set<number>();
  /** Goods whose orders may have been delivered to an instance that died. */
  private readonly unchecked = new Set<number>();
  private readonly draining = new Map<number, Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly redis: RedisConnection,
    private readonly stream: OrderStream,
    private readonly writer: OrderWriter,
    private readonly redisStock: RedisStock,
    private readonly changes: GoodsChanges,
    metrics: Metrics,
  ) {
    new Gauge({
      name: 'lockstock_accepted_orders_waiting',
      help: 'Orders that Redis has accepted and that are not in the ledger yet, of all instances',
      registers: [metrics.registry],
      async collect() {
        this.set(redis.up ? await stream.length().catch(() => NaN) : NaN);
      },
    });
  }

  onApplicationBootstrap(): void {
    if (this.redis.configured) this.timer = setInterval(() => void this.lookAround(), LOOK_AROUND_MS);
  }

  /** A batch that was begun is finished. Another instance writes the rest. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await Promise.all(this.draining.values());
  }

  /** There are orders for this goods. */
  wake(goodsId: number): void {
    this.woken.add(goodsId);
    if (this.stopped || this.draining.has(goodsId)) return;
    const drain = unobserved(() => this.drain(goodsId))
      .catch((error: unknown) => {
        this.log.warn(`orders of goods ${goodsId} have to wait: ${(error as Error).message}`);
      })
      .finally(() => {
        this.draining.delete(goodsId);
        // Woken between the last look of the drain and its end.
        if (this.woken.has(goodsId)) this.wake(goodsId);
      });
    this.draining.set(goodsId, drain);
  }

  private async lookAround(): Promise<void> {
    if (!this.redis.up) return;
    const goods = await this.stream.goods().catch(() => []);
    for (const goodsId of goods) {
      this.unchecked.add(goodsId);
      this.wake(goodsId);
    }
  }

  private async drain(goodsId: number): Promise<void> {
    while (this.woken.delete(goodsId)) {
      await sleep(LINGER_MS);
      if (this.unchecked.delete(goodsId)) await this.carryAll(goodsId, () => this.stream.abandoned(goodsId));
      await this.carryAll(goodsId, () => this.stream.fresh(goodsId));
    }
  }

  /** A short batch means that nothing more is there. An order that arrives later wakes the consumer of its instance. */
  private async carryAll(goodsId: number, read: () => Promise<StreamedOrder[]>): Promise<void> {
    for (let more = true; more && !this.stopped;) {
      const orders = await read();
      await this.carry(goodsId, orders);
      more = orders.length === LARGEST_BATCH;
    }
  }

  private async carry(goodsId: number, orders: readonly StreamedOrder[]): Promise<void> {
    if (orders.length === 0) return;
    const { refused, gateId } = await this.writer.write(goodsId, orders);
    await Promise.all([this.stream.done(goodsId, orders), this.changes.announce(goodsId)]);
    // The current Redis stock may have been computed while these orders still counted as sold.
    if (refused.length > 0) await this.redisStock.rebuild(goodsId, 'any');
    // A Redis stock that MySQL does not name is rebuilt.
    const unknown = orders.map((order) => order.gateId).filter((id) => id !== gateId);
    for (const id of new Set(unknown)) await this.redisStock.rebuild(goodsId, { id });
  }
}
