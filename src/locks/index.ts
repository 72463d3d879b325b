export { CountedLock } from './counted-lock.js';
export { LockLost, LockTimeout, TooManyWaiting } from './errors.js';
export { LocalLock } from './local-lock.js';
export { LocalSemaphore } from './local-semaphore.js';
export { type AcquireOptions, type Lease, Lock } from './lock.js';
export { type MultiLease, MultiLock } from './multi-lock.js';
export {
  type DedicatedConnection,
  MysqlNamedLock,
  type Query,
  releaseNamedLock,
  takeNamedLock,
} from './mysql-named-lock.js';
export {
  type ChangeRows,
  LOCK_ROWS_TABLE,
  MysqlRowLock,
  type MysqlRowLockOptions,
} from './mysql-row-lock.js';
export { type ConnectOptions, connectRedis, type RedisClient, subscriberOf } from './redis/connect.js';
export { type RedisLockOptions } from './redis/exclusive-engine.js';
export { FairRedisLock } from './redis/fair-lock.js';
export { type QueueOptions } from './redis/lock-queue.js';
export { RedisLock } from './redis/plain-lock.js';
export { QuorumRedisLock, type QuorumLockOptions } from './redis/quorum-lock.js';
export { RedlockAdapter, type RedlockAdapterOptions } from './redis/redlock-adapter.js';
export { ReadWriteRedisLock } from './redis/read-write-lock.js';
export { ReentrantRedisLock } from './redis/reentrant-lock.js';
export { Script } from './redis/script.js';
export { NotReplicated, type ReplicaCount } from './redis/replicas.js';
export { parseRedisUrl, type RedisAddress, RedisUrlError } from './redis/url.js';
export { AddressError, parseEtcdUrl, parseZookeeperUrl } from './coordination/addresses.js';
export { type CallObserver, caughtUp, observeCalls, type ServiceCall } from './coordination/calls.js';
export { NoSession } from './coordination/sessions.js';
export { type SessionLock } from './coordination/session-lock.js';
export { EtcdLock, type EtcdLockOptions } from './etcd/etcd-lock.js';
export { ZookeeperLock, type ZookeeperLockOptions } from './zookeeper/zookeeper-lock.js';
