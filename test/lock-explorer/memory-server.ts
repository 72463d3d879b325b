import { type Attempt, type Freed } from '../../src/locks/exclusive/engine.js';

interface Held {
  readonly owner: string;
  waited: boolean;
  endsAt: number;
}

/** What the Lua scripts of the exclusive Redis lock do, in memory. A test compares the two with random commands. */
export class MemoryServer {
  private readonly locks = new Map<string, Held>();
  private readonly fences = new Map<string, number>();
  private readonly released = new Map<string, { readonly owner: string; readonly endsAt: number }>();
  private readonly broken = new Set<string>();

  constructor(
    private readonly now: () => number,
    /** Delivers a message to the waiters of a key; answers how many clients get it. */
    private readonly publish: (key: string) => number,
  ) {}

  /** Every command on this key fails, as on a key of another type. */
  breakKey(key: string): void {
    this.broken.add(key);
  }

  attempt(key: string, owner: string, leaseMs: number, tokens: number): Attempt {
    this.requireSound(key);
    const held = this.held(key);
    if (!held) {
      const last = (this.fences.get(key) ?? 0) + tokens;
      this.fences.set(key, last);
      this.locks.set(key, { owner, waited: false, endsAt: this.now() + leaseMs });
      return { granted: true, token: BigInt(last - tokens + 1) };
    }
    if (held.owner === owner) {
      return { granted: true, token: BigInt((this.fences.get(key) ?? 0) - tokens + 1) };
    }
    held.waited = true;
    return { granted: false, retryMs: Math.max(1, held.endsAt - this.now()) };
  }

  renew(key: string, owner: string, leaseMs: number): boolean {
    this.requireSound(key);
    const held = this.held(key);
    if (held?.owner !== owner) return false;
    held.endsAt = this.now() + leaseMs;
    return true;
  }

  free(key: string, owner: string): Freed {
    this.requireSound(key);
    const held = this.held(key);
    if (held?.owner === owner) {
      this.locks.delete(key);
      this.released.set(key, { owner, endsAt: held.endsAt });
      return { held: true, heard: held.waited ? this.publish(key) : 0 };
    }
    const last = this.released.get(key);
    return last?.owner === owner && last.endsAt > this.now()
      ? { held: true, heard: 0 }
      : { held: false, heard: -1 };
  }

  /** The owner of a key; undefined when it is free. */
  owner(key: string): string | undefined {
    return this.held(key)?.owner;
  }

  /** As when the lease of a key ends now. */
  expire(key: string): void {
    this.locks.delete(key);
  }

  private held(key: string): Held | undefined {
    const held = this.locks.get(key);
    return held && held.endsAt > this.now() ? held : undefined;
  }

  private requireSound(key: string): void {
    if (this.broken.has(key)) throw new Error('WRONGTYPE');
  }
}
