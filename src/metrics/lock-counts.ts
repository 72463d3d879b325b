import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { CountedLock, type Lock } from '../locks/index.js';
import { Metrics } from './metrics.js';

/** The locks of this instance as a gauge. It is read when Prometheus scrapes, so that locking costs nothing more. */
@Injectable()
export class LockCounts {
  private readonly locks = new Map<string, CountedLock>();

  constructor({ registry }: Metrics) {
    const { locks } = this;
    new Gauge({
      name: 'lockstock_locks',
      help: 'Locks by kind: held by this instance, and waited for by its requests',
      labelNames: ['lock', 'state'],
      registers: [registry],
      collect() {
        for (const [lock, { held, waiting }] of locks) {
          this.set({ lock, state: 'held' }, held);
          this.set({ lock, state: 'waiting' }, waiting);
        }
      },
    });
  }

  /** The same lock, counted under this name. */
  of(name: string, lock: Lock): Lock {
    const counted = new CountedLock(lock);
    this.locks.set(name, counted);
    return counted;
  }
}
