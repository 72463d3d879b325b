import { Global, Module } from '@nestjs/common';
import { CoordinationLocks } from './coordination-locks.js';

@Global()
@Module({ providers: [CoordinationLocks], exports: [CoordinationLocks] })
export class CoordinationModule {}
