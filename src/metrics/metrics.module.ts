import { Module } from '@nestjs/common';
import { LockCounts } from './lock-counts.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';

@Module({
  controllers: [MetricsController],
  providers: [Metrics, LockCounts],
  exports: [Metrics, LockCounts],
})
export class MetricsModule {}
