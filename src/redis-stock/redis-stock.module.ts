import { Module } from '@nestjs/common';
import { MetricsModule } from '../metrics/metrics.module.js';
import { RedisConnectionPool } from '../redis/connection-pool.js';
import { StockModule } from '../stock/stock.module.js';
import { GoodsChanges } from './goods-changes.js';
import { OrderConsumer } from './order-consumer.js';
import { OrderStream } from './order-stream.js';
import { OrderWriter } from './order-writer.js';
import { Reconciler } from './reconciler.js';
import { RedisStock } from './redis-stock.js';
import { Reservations } from './reservations.js';
import { ReservedSales } from './reserved-sales.js';
import { StockMoves } from './stock-moves.js';

/** The Redis stock, and what keeps it consistent with MySQL. */
@Module({
  imports: [StockModule, MetricsModule],
  providers: [
    GoodsChanges,
    RedisStock,
    ReservedSales,
    OrderConsumer,
    OrderStream,
    OrderWriter,
    Reconciler,
    RedisConnectionPool,
    Reservations,
    StockMoves,
  ],
  exports: [
    GoodsChanges,
    RedisStock,
    ReservedSales,
    OrderConsumer,
    RedisConnectionPool,
    Reservations,
    StockMoves,
  ],
})
export class RedisStockModule {}
