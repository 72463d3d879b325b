import { type Lease, type Lock } from '../../src/locks/index.js';
import { longestAcquire, type World } from './world.js';

/** What one caller does. */
export interface CallerPlan {
  /** A, B, C … where it is absent. */
  readonly name?: string;
  readonly key: string;
  /** Callers of one client share a lock object and a connection. */
  readonly client: string;
  readonly waitMs: number;
  readonly leaseMs?: number;
  readonly abortable?: boolean;
  /** It has called `acquire` before the explorer begins: one step less to place. */
  readonly early?: boolean;
  /** Never releases: its lease must end by itself. */
  readonly forgets?: boolean;
  /** For reentrant locks: how it enters again. */
  readonly nests?:
    | 'sequentially'
    | 'beside a failing sibling'
    | 'and outlives the outer hold'
    | 'and forgets the entry'
    | 'after the outer hold has ended';
  readonly innerLeaseMs?: number;
}

/** One caller: each await is a step of the explorer's, or an answer that the explorer delivers. */
export class Caller {
  constructor(
    private readonly world: World,
    private readonly name: string,
    private readonly lock: Lock,
    private readonly plan: CallerPlan,
  ) {}

  async run(): Promise<void> {
    const { client, abortable, early, nests } = this.plan;
    if (!early) await this.world.step(client, `${this.name} starts`);
    const abort = abortable ? this.world.abortable(client, this.name) : undefined;
    try {
      await (nests ? this.nest(abort?.signal) : this.acquireAndRelease(abort?.signal));
    } catch {
      // Refused, failed, lost or aborted: all of these are allowed.
    } finally {
      abort?.done();
    }
  }

  private async acquireAndRelease(signal: AbortSignal | undefined): Promise<void> {
    const { client, forgets } = this.plan;
    const lease = await this.acquire(signal);
    this.world.history.granted(this.name, lease);
    await this.world.step(client, `${this.name} ends`);
    if (forgets) return;
    await this.release(lease);
  }

  private acquire(signal: AbortSignal | undefined): Promise<Lease> {
    const { key, waitMs } = this.plan;
    const acquiring = this.lock.acquire(key, { ...this.options(signal), waitMs });
    return this.world.history.within(`${this.name}'s acquire`, longestAcquire(waitMs), acquiring);
  }

  private options(signal: AbortSignal | undefined) {
    const { waitMs, leaseMs } = this.plan;
    return { waitMs, ...(leaseMs !== undefined && { leaseMs }), ...(signal && { signal }) };
  }

  private async release(lease: Lease): Promise<void> {
    const { history } = this.world;
    history.left(lease);
    try {
      await history.within(`${this.name}'s release`, longestAcquire(0), lease.release());
    } catch (error) {
      history.violated(`${this.name}'s release threw: ${String(error)}`);
    }
  }

  /** `using` inside `using`, in the ways in which programs do it. */
  private async nest(signal: AbortSignal | undefined): Promise<void> {
    const { client, key, nests } = this.plan;
    const { history } = this.world;
    let later: Promise<unknown> | undefined;
    const step = (what: string) => this.world.step(client, `${this.name} ${what}`);
    const outcome = this.lock.using(key, this.options(signal), async (outer) => {
      history.granted(this.name, outer);
      try {
        const enter = () => (nests === 'and forgets the entry' ? this.forget(outer) : this.inner(outer));
        const inner =
          nests === 'after the outer hold has ended' ? step('goes on later').then(enter) : enter();
        later = inner.catch(() => undefined);
        if (nests === 'sequentially') await inner;
        else if (nests === 'beside a failing sibling') await Promise.all([inner, step('fails').then(fail)]);
        else await step('leaves the outer hold');
      } finally {
        if (outer.signal.aborted) history.lost(this.name);
        history.left(outer);
      }
    });
    try {
      await outcome;
      history.succeeded(this.name);
    } finally {
      await later;
    }
  }

  private async inner(outer: Lease): Promise<void> {
    const { client, key } = this.plan;
    const { history } = this.world;
    await this.lock.using(key, this.innerOptions(), async (lease) => {
      this.enters(outer, lease);
      await this.world.step(client, `${this.name} leaves the inner hold`);
      history.left(lease);
    });
  }

  private async forget(outer: Lease): Promise<void> {
    this.enters(outer, await this.lock.acquire(this.plan.key, this.innerOptions()));
  }

  private enters(outer: Lease, lease: Lease): void {
    const { history } = this.world;
    if (lease.token === outer.token) history.entered(this.name, lease);
    else history.granted(this.name, lease);
  }

  private innerOptions() {
    const { innerLeaseMs: leaseMs } = this.plan;
    return { waitMs: 0, ...(leaseMs !== undefined && { leaseMs }) };
  }
}

function fail(): never {
  throw new Error('The sibling fails.');
}
