import { type DynamicModule, Module } from '@nestjs/common';
import { MetricsModule } from '../metrics/metrics.module.js';
import { RedisStockModule } from '../redis-stock/redis-stock.module.js';
import { StockModule } from '../stock/stock.module.js';
import { StrategiesModule, type StrategySources } from '../strategies/strategies.module.js';
import { Auditor } from './auditor.js';
import { CancelTokens } from './cancel-tokens.js';
import { Cancellations } from './cancellations.js';
import { Catalogue } from './catalogue.js';
import { Deductions } from './deductions.js';
import { GoodsCache } from './goods-cache.js';
import { OrderLookup } from './order-lookup.js';
import { Resets } from './resets.js';

/** Everything that a client can request. */
@Module({})
export class UseCasesModule {
  static register(options: StrategySources): DynamicModule {
    return {
      module: UseCasesModule,
      imports: [MetricsModule, StockModule, RedisStockModule, StrategiesModule.register(options)],
      providers: [
        Auditor,
        CancelTokens,
        Cancellations,
        Catalogue,
        Deductions,
        GoodsCache,
        OrderLookup,
        Resets,
      ],
      exports: [
        StockModule,
        StrategiesModule,
        Auditor,
        CancelTokens,
        Cancellations,
        Catalogue,
        Deductions,
        OrderLookup,
        Resets,
      ],
    };
  }
}
