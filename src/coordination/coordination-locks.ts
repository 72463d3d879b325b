import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { EngineUnavailable } from '../errors.js';
import { EtcdLock, type Lock, ZookeeperLock } from '../locks/index.js';

/**
 * The service's locks in etcd and ZooKeeper, where they are configured. They connect on first use, because their clients
 * are slow to load and few requests need them.
 */
@Injectable()
export class CoordinationLocks implements OnApplicationShutdown {
  private readonly etcdLock: EtcdLock | undefined;
  private readonly zookeeperLock: ZookeeperLock | undefined;

  constructor(@Inject(SETTINGS) { etcdUrl, zookeeperUrl, lockLeaseMs: watchdogMs }: Settings) {
    if (etcdUrl !== undefined) {
      this.etcdLock = new EtcdLock(etcdUrl, {
        prefix: 'lockstock/lock/',
        watchdogMs,
        onChange: tell('etcd'),
      });
    }
    if (zookeeperUrl !== undefined) {
      const onChange = tell('ZooKeeper');
      this.zookeeperLock = new ZookeeperLock(zookeeperUrl, { root: '/lockstock/lock', watchdogMs, onChange });
    }
  }

  get etcd(): Lock {
    if (!this.etcdLock) throw new EngineUnavailable('etcd');
    return this.etcdLock;
  }

  get zookeeper(): Lock {
    if (!this.zookeeperLock) throw new EngineUnavailable('zookeeper');
    return this.zookeeperLock;
  }

  get up(): { readonly etcd: boolean; readonly zookeeper: boolean } {
    return { etcd: this.etcdLock?.up ?? false, zookeeper: this.zookeeperLock?.up ?? false };
  }

  /** Connects to both. Resolves when both have answered or failed once: within a few seconds, and at once afterwards. */
  async tried(): Promise<void> {
    await Promise.all([this.etcdLock?.start(), this.zookeeperLock?.start()]);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.etcdLock?.close(), this.zookeeperLock?.close()]);
  }
}

function tell(engine: string): (up: boolean, cause?: unknown) => void {
  const log = new Logger(engine);
  return (up, cause) => {
    if (up) log.log('connected');
    else log.warn(`no connection: ${cause instanceof Error ? cause.message : String(cause)}`);
  };
}
