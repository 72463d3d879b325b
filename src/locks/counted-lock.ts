import { type AcquireOptions, type Lease, Lock } from './lock.js';

/** Any lock, with the numbers of its holders and waiters in this process, over all keys: for gauges. */
export class CountedLock extends Lock {
  private holding = 0;
  private queueing = 0;

  constructor(private readonly lock: Lock) {
    super();
  }

  /** Granted and not released yet. */
  get held(): number {
    return this.holding;
  }

  get waiting(): number {
    return this.queueing;
  }

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    const arrived = this.queue();
    try {
      const lease = await this.lock.acquire(key, options);
      return new CountedLease(lease, this.hold());
    } finally {
      arrived();
    }
  }

  override asHolder<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
    return this.lock.asHolder(lease instanceof CountedLease ? lease.lease : lease, work);
  }

  private queue(): () => void {
    this.queueing += 1;
    return once(() => (this.queueing -= 1));
  }

  private hold(): () => void {
    this.holding += 1;
    return once(() => (this.holding -= 1));
  }
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}

/** The same lease; `ended` is called when it is released. */
class CountedLease implements Lease {
  readonly key: string;
  readonly token: bigint | undefined;
  readonly waitedMs: number;
  readonly attempts: number;

  constructor(
    readonly lease: Lease,
    private readonly ended: () => void,
  ) {
    this.key = lease.key;
    this.token = lease.token;
    this.waitedMs = lease.waitedMs;
    this.attempts = lease.attempts;
  }

  get signal(): AbortSignal {
    return this.lease.signal;
  }

  remaining(): number {
    return this.lease.remaining();
  }

  release(): Promise<boolean> {
    return this.lease.release().finally(this.ended);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
