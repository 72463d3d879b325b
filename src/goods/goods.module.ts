import { type DynamicModule, Module } from '@nestjs/common';
import { GateModule } from '../gate/gate.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { AdminToken } from '../http/admin-token.js';
import { Auditor } from './audit.js';
import { CancelTokens } from './cancel-tokens.js';
import { Cancellations } from './cancellations.js';
import { Catalogue } from './catalogue.js';
import { Deductions } from './deductions.js';
import { GoodsCache } from './goods-cache.js';
import { GoodsController } from './goods.controller.js';
import { NoopController } from './noop.controller.js';
import { OrderAccess } from './order-access.js';
import { OrdersController } from './orders.controller.js';
import { Refusals } from './refusals.js';
import { Runs } from './runs.js';
import { Sales } from './sales.js';
import { StockModule } from './stock.module.js';
import { SoldOrders } from './sold-orders.js';

@Module({})
export class GoodsModule {
  static register(options: { readonly specimens: boolean }): DynamicModule {
    return {
      module: GoodsModule,
      imports: [MetricsModule, StockModule, GateModule, StrategiesModule.register(options)],
      controllers: [GoodsController, NoopController, OrdersController],
      providers: [
        AdminToken,
        Auditor,
        CancelTokens,
        Cancellations,
        Catalogue,
        Deductions,
        GoodsCache,
        OrderAccess,
        Refusals,
        Runs,
        Sales,
        SoldOrders,
      ],
    };
  }
}
