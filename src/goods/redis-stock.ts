import { Injectable } from '@nestjs/common';
import { RedisConnection } from '../redis/redis.module.js';

/** The stock as Redis counts it: the gate of the strategies that sell from Redis first. */
@Injectable()
export class RedisStock {
  constructor(private readonly redis: RedisConnection) {}

  get configured(): boolean {
    return this.redis.configured;
  }

  /** Null where Redis is not configured, does not answer, or was never told. */
  async read(goodsId: number): Promise<number | null> {
    if (!this.redis.up) return null;
    const text = await this.redis.run((client) => client.get(this.key(goodsId)));
    return text === null ? null : Number(text);
  }

  async set(goodsId: number, inventory: number): Promise<void> {
    await this.redis.run((client) => client.set(this.key(goodsId), inventory));
  }

  /** The braces keep all keys of one goods together where Redis is a cluster. */
  private key(goodsId: number): string {
    return `lockstock:{goods:${goodsId}}:stock`;
  }
}
