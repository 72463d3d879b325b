import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { execute } from '../redis/outcome.js';
import { RedisConnection } from '../redis/redis.module.js';
import { acceptedOrder, type AcceptedOrder } from './accepted-order.js';
import { ALL_REDIS_STOCKS, redisStockKeys } from './redis-stock-keys.js';

/** The consumer group that `open-stock.lua` makes. */
const GROUP = 'ledger';
/** Orders that are delivered at a time. */
export const LARGEST_BATCH = 500;
/** An order that was delivered this long ago and is still in the stream: its consumer died, or its COMMIT failed. */
const ABANDONED_AFTER_MS = 3000;

export interface StreamedOrder extends AcceptedOrder {
  readonly entryId: string;
}

/** The streams of accepted orders. Each order is delivered to one consumer, and to another one if the first is gone. */
@Injectable()
export class OrderStream {
  constructor(
    private readonly redis: RedisConnection,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Every goods that may have accepted orders. */
  async goods(): Promise<number[]> {
    const members = await this.redis.run((client) => client.smembers(ALL_REDIS_STOCKS));
    return members.map(Number);
  }

  async fresh(goodsId: number): Promise<StreamedOrder[]> {
    const { orders } = redisStockKeys(goodsId);
    const answer = await this.redis.run((client) =>
      client.xreadgroup(
        'GROUP',
        GROUP,
        this.settings.instance,
        'COUNT',
        LARGEST_BATCH,
        'STREAMS',
        orders,
        '>',
      ),
    );
    const [stream] = (answer ?? []) as [key: string, entries: Entry[]][];
    return stream ? stream[1].flatMap(streamed) : [];
  }

  async abandoned(goodsId: number): Promise<StreamedOrder[]> {
    const { orders } = redisStockKeys(goodsId);
    const { instance } = this.settings;
    const answer = await this.redis.run((client) =>
      client.xautoclaim(orders, GROUP, instance, ABANDONED_AFTER_MS, '0-0', 'COUNT', LARGEST_BATCH),
    );
    return (answer as [cursor: string, entries: Entry[]])[1].flatMap(streamed);
  }

  /** The orders are in the ledger: only now are they removed from the stream. */
  async done(goodsId: number, done: readonly StreamedOrder[]): Promise<void> {
    const { orders } = redisStockKeys(goodsId);
    const ids = done.map(({ entryId }) => entryId);
    await this.redis.run((client) =>
      execute(
        client
          .multi()
          .xack(orders, GROUP, ...ids)
          .xdel(orders, ...ids),
      ),
    );
  }

  /** How many orders wait, of all goods. */
  async length(): Promise<number> {
    const goods = await this.goods();
    const lengths = await this.redis.run((client) =>
      Promise.all(goods.map((goodsId) => client.xlen(redisStockKeys(goodsId).orders))),
    );
    return lengths.reduce((sum, length) => sum + length, 0);
  }
}

/** An entry that was deleted while it was pending comes without its fields. */
type Entry = [id: string, fields: string[] | null] | null;

function streamed(entry: Entry): StreamedOrder[] {
  return entry?.[1] ? [{ entryId: entry[0], ...acceptedOrder(entry[1]) }] : [];
}
