import { type DynamicModule, Module } from '@nestjs/common';
import { GateModule } from '../gate/gate.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { Auditor } from './audit.js';
import { Cancellations } from './cancellations.js';
import { Catalogue } from './catalogue.js';
import { Deductions } from './deductions.js';
import { GoodsCache } from './goods-cache.js';
import { GoodsController } from './goods.controller.js';
import { NoopController } from './noop.controller.js';
import { OrdersController } from './orders.controller.js';
import { Receipts } from './receipts.js';
import { Refusals } from './refusals.js';
import { Runs } from './runs.js';
import { SoldOrders } from './sold-orders.js';

@Module({})
export class GoodsModule {
  static register(options: { readonly specimens: boolean }): DynamicModule {
    return {
      module: GoodsModule,
      imports: [MetricsModule, GateModule, StrategiesModule.register(options)],
      controllers: [GoodsController, NoopController, OrdersController],
      providers: [
        Auditor,
        Cancellations,
        Catalogue,
        Deductions,
        GoodsCache,
        Receipts,
        Refusals,
        Runs,
        SoldOrders,
      ],
    };
  }
}
