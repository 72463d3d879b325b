import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { CoordinationLocks } from '../coordination/coordination-locks.js';
import { type Lease, type Lock } from '../locks/index.js';
import { LockCounts } from '../metrics/lock-counts.js';
import { holdLock } from './hold-lock.js';
import { type DeductOrder } from './strategy.js';

/** The one way in which strategies hold a lock of a coordination service. */
@Injectable()
export class CoordinationGuard {
  private readonly counted = new Map<string, Lock>();

  constructor(
    private readonly locks: CoordinationLocks,
    private readonly counts: LockCounts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Holds the lock of the order's goods around `work`. */
  hold<T>(service: 'etcd' | 'zookeeper', order: DeductOrder, work: (lease: Lease) => Promise<T>): Promise<T> {
    const key = `goods:${order.goodsId}`;
    return holdLock(service, this.lock(service), key, this.settings.lockWaitMs, order, work);
  }

  private lock(service: 'etcd' | 'zookeeper'): Lock {
    const lock = this.counted.get(service) ?? this.counts.of(service, this.locks[service]);
    this.counted.set(service, lock);
    return lock;
  }
}
