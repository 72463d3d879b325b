import { type Lease } from '../../src/locks/index.js';

interface Holder {
  readonly caller: string;
  readonly lease: Lease;
}

/** What happened in one run, and what must never happen. */
export class History {
  readonly schedule: string[] = [];
  readonly violations: string[] = [];
  private readonly holders = new Map<string, Holder[]>();
  private readonly losers = new Set<string>();
  private readonly lastTokens = new Map<string, bigint>();

  constructor(private readonly now: () => number) {}

  happened(what: string): void {
    this.schedule.push(what);
  }

  violated(sentence: string): void {
    if (!this.violations.includes(sentence)) this.violations.push(sentence);
  }

  /** A caller was granted a lease of its own. */
  granted(caller: string, lease: Lease): void {
    const { key, token } = lease;
    if (lease.remaining() <= 0) this.violated(`${caller} was given a lease of ${key} that had expired.`);
    const last = this.lastTokens.get(key) ?? 0n;
    if (token !== undefined && token <= last) {
      this.violated(`${caller} got token ${token} of ${key} after token ${last}.`);
    }
    this.lastTokens.set(key, token ?? last);
    this.holders.set(key, [...(this.holders.get(key) ?? []), { caller, lease }]);
  }

  /** A caller entered again what it holds. */
  entered(caller: string, inner: Lease): void {
    this.holders.set(inner.key, [...(this.holders.get(inner.key) ?? []), { caller, lease: inner }]);
  }

  /** The lease of a caller's `using` was lost before its work had ended. */
  lost(caller: string): void {
    this.losers.add(caller);
  }

  succeeded(caller: string): void {
    if (this.losers.has(caller)) this.violated(`${caller}'s using succeeded although its lock was lost.`);
  }

  left(lease: Lease): void {
    const rest = (this.holders.get(lease.key) ?? []).filter((holder) => holder.lease !== lease);
    this.holders.set(lease.key, rest);
  }

  /** Two callers whose leases are both valid by their own clock: what a lock is there to prevent. */
  check(): void {
    for (const [key, holders] of this.holders) {
      const valid = holders.filter(({ lease }) => lease.remaining() > 0);
      const callers = [...new Set(valid.map(({ caller }) => caller))];
      if (callers.length > 1) this.violated(`${callers.join(' and ')} hold ${key} at the same time.`);
    }
  }

  /** Measures how long something takes by the virtual clock. */
  async within<T>(what: string, ms: number, promise: Promise<T>): Promise<T> {
    const started = this.now();
    try {
      return await promise;
    } finally {
      const took = this.now() - started;
      if (took > ms) this.violated(`${what} took ${Math.round(took)} ms, longer than ${ms} ms.`);
    }
  }
}
