import { Module } from '@nestjs/common';
import { StockModule } from '../goods/stock.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { RedisConnectionPool } from '../redis/connection-pool.js';
import { Gate } from './gate.js';
import { GatedSales } from './gated-sales.js';
import { OrderConsumer } from './order-consumer.js';
import { OrderStream } from './order-stream.js';
import { OrderWriter } from './order-writer.js';
import { Reconciler } from './reconciler.js';
import { Reservations } from './reservations.js';
import { StockMoves } from './stock-moves.js';

/** The gate in Redis, and everything that keeps it in step with MySQL. */
@Module({
  imports: [StockModule, MetricsModule],
  providers: [
    Gate,
    GatedSales,
    OrderConsumer,
    OrderStream,
    OrderWriter,
    Reconciler,
    RedisConnectionPool,
    Reservations,
    StockMoves,
  ],
  exports: [Gate, GatedSales, OrderConsumer, RedisConnectionPool, Reservations, StockMoves],
})
export class GateModule {}
