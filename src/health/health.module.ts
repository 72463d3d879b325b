import { Module } from '@nestjs/common';
import { Engines } from './engines.js';
import { HealthController } from './health.controller.js';
import { Shutdown } from './shutdown.js';

@Module({ controllers: [HealthController], providers: [Engines, Shutdown], exports: [Engines, Shutdown] })
export class HealthModule {}
