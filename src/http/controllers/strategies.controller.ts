import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type StrategyListing } from '../../contract/strategy.js';
import { StrategyRegistry } from '../../strategies/registry.js';

@ApiTags('strategies')
@Controller('strategies')
export class StrategiesController {
  constructor(private readonly registry: StrategyRegistry) {}

  @Get()
  @ApiOperation({ summary: 'Every strategy, what it promises, and whether its servers are up' })
  list(): Promise<StrategyListing[]> {
    return this.registry.list();
  }
}
