import { type DynamicModule, Module } from '@nestjs/common';
import { type StrategySources } from '../strategies/strategies.module.js';
import { UseCasesModule } from '../use-cases/use-cases.module.js';
import { AdminToken } from './admin-token.js';
import { GoodsController } from './controllers/goods.controller.js';
import { NoopController } from './controllers/noop.controller.js';
import { OrdersController } from './controllers/orders.controller.js';
import { StrategiesController } from './controllers/strategies.controller.js';
import { OrderAccess } from './order-access.js';

/** The HTTP API of the service. */
@Module({})
export class HttpModule {
  static register(options: StrategySources): DynamicModule {
    return {
      module: HttpModule,
      imports: [UseCasesModule.register(options)],
      controllers: [GoodsController, NoopController, OrdersController, StrategiesController],
      providers: [AdminToken, OrderAccess],
    };
  }
}
