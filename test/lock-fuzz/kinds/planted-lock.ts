import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AcquireOptions,
  type Lease,
  Lock,
  LockLost,
  LockTimeout,
  type RedisClient,
  subscriberOf,
} from '../../../src/locks/index.js';
import { PlantedLease } from './planted-lease.js';

/** Defects that the fuzzer must find. `none`: the same lock without a defect, in which it must find nothing. */
export const DEFECTS = [
  'none',
  'release deletes the key of any owner',
  'leases outlive the key',
  'tokens repeat',
  'renewal never stops',
  'errors reach other keys',
  'release throws',
  'using hides a loss',
  'acquire hangs',
  'a listener is left',
  'a connection is left',
] as const;
export type Defect = (typeof DEFECTS)[number];

const ACQUIRE = `if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.call('INCRBY', KEYS[2], ARGV[3]) end
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('GET', KEYS[2]) end return 0`;

export interface PlantedLockOptions {
  readonly prefix: string;
  readonly watchdogMs: number;
  readonly defect: Defect;
}

/** A small lock on one Redis that polls, with one defect on purpose. It has no watchdog: every lease ends. */
export class PlantedLock extends Lock {
  private lastError: unknown;

  constructor(
    private readonly client: RedisClient,
    private readonly options: PlantedLockOptions,
  ) {
    super();
    if (options.defect === 'a connection is left') leaveConnection(client);
  }

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    const { defect, prefix, watchdogMs } = this.options;
    const { waitMs, leaseMs = watchdogMs, signal } = options;
    const name = `${prefix}{${key}}`;
    const owner = randomUUID();
    const started = performance.now();
    if (defect === 'a listener is left') signal?.addEventListener('abort', () => undefined);
    for (let attempts = 1; ; attempts += 1) {
      if (defect === 'errors reach other keys' && this.lastError instanceof Error) throw this.lastError;
      const asked = performance.now();
      const token = await this.ask(name, owner, leaseMs);
      const lease = new PlantedLease(
        this.client,
        { name, owner, leaseMs, defect },
        { key, token: BigInt(token), attempts, waitedMs: performance.now() - started, asked },
      );
      if (token > 0 && lease.remaining() > 0 && !signal?.aborted) return lease;
      if (token > 0) await lease.release();
      signal?.throwIfAborted();
      if (token > 0) throw new LockLost();
      if (defect === 'acquire hangs') await new Promise(() => undefined);
      if (performance.now() - started >= waitMs) throw new LockTimeout(waitMs);
      await sleep(3);
    }
  }

  override async using<T>(
    key: string,
    options: AcquireOptions,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T> {
    const lease = await this.acquire(key, options);
    try {
      const result = await work(lease);
      const hides = this.options.defect === 'using hides a loss';
      if (lease.remaining() === 0 && !hides) throw new LockLost();
      return result;
    } finally {
      await lease.release();
    }
  }

  private async ask(name: string, owner: string, leaseMs: number): Promise<number> {
    const step = this.options.defect === 'tokens repeat' ? 0 : 1;
    // A counter that repeats must not be 0, which means refused.
    if (step === 0) await this.client.set(`${name}:fence`, 1);
    try {
      return Number(await this.client.eval(ACQUIRE, 2, name, `${name}:fence`, owner, leaseMs, step));
    } catch (error) {
      this.lastError = error;
      // It may have been granted although the answer was lost.
      void new PlantedLease(
        this.client,
        { name, owner, leaseMs, defect: 'none' },
        { key: name, token: 0n, attempts: 1, waitedMs: 0, asked: 0 },
      ).release();
      throw error;
    }
  }
}

/** Until the proxy in between is closed, or nothing could end the process. */
function leaveConnection(client: RedisClient): void {
  const left = subscriberOf(client);
  left.on('error', () => undefined);
  left.on('close', () => {
    left.disconnect();
  });
}
