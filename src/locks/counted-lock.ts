import { type AcquireOptions, type Lease, Lock } from './lock.js';

/** Any lock, with how many hold it and how many wait for it here, over all its keys: for gauges. */
export class CountedLock extends Lock {
  private holding = 0;
  private queueing = 0;

  constructor(private readonly lock: Lock) {
    super();
  }

  /** Granted and not given back yet. */
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

  /** The lock's own, because some locks know their holder by it. */
  override async using<T>(
    key: string,
    options: AcquireOptions,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T> {
    const arrived = this.queue();
    let left: () => void = arrived;
    try {
      return await this.lock.using(key, options, (lease) => {
        arrived();
        left = this.hold();
        return work(lease);
      });
    } finally {
      left();
    }
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

/** The same lease, which tells when it is given back. */
class CountedLease implements Lease {
  readonly key: string;
  readonly token: bigint | undefined;
  readonly waitedMs: number;
  readonly attempts: number;

  constructor(
    private readonly lease: Lease,
    private readonly givenBack: () => void,
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
    return this.lease.release().finally(this.givenBack);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
