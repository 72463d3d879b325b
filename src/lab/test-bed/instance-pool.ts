import { type DataFolder } from '../data-folder.js';
import { InstanceEngine } from '../engines/instance.js';
import { freePorts } from '../ports.js';
import { freeze } from '../processes/freeze.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { until } from '../until.js';
import { Instance } from './instance.js';

/** Lease of the locks: short enough to wait for its expiry, or so long that it never expires during an experiment. */
export const LEASES = { short: 700, long: 600_000 } as const;
export type LeaseLength = keyof typeof LEASES;

/** Reservations in Redis are reconciled after this time; it must exceed the lease that an experiment waits for. */
const REDIS_ORDER_TIMEOUT_MS: Readonly<Record<LeaseLength, number>> = { short: 2 * LEASES.short, long: 5000 };
const POOL_SIZE = 4;
/**
 * One more than most experiments need: an instance that was killed restarts while the next experiment uses another. With a
 * short lease, an experiment needs one instance that has it, and a second one with a long lease.
 */
const SPARES: Readonly<Record<LeaseLength, number>> = { short: 2, long: 3 };
const CUSTOM_INSTANCES = 2;

/** All instances of a test bed. They are shared by all experiments. */
export class InstancePool {
  private readonly groups = new Map<LeaseLength, Promise<readonly Instance[]>>();
  /** How many instances of each group are kept running. */
  private readonly kept: Record<LeaseLength, number> = { short: 0, long: 0 };
  /** Instances with a changed environment, by the changes. */
  private readonly custom = new Map<string, readonly Instance[]>();

  constructor(
    private readonly folder: DataFolder,
    private readonly reaper: ProcessReaper,
    /** The environment of every instance. */
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /**
   * `needed` instances that serve; starts those that do not run. Only the first one has a short lease: the leases of the
   * others must not expire while the machine is busy.
   */
  async acquire(lease: LeaseLength, needed: number): Promise<readonly Instance[]> {
    if (lease === 'long') return this.serving('long', needed);
    const [first, others] = await Promise.all([this.serving('short', 1), this.acquire('long', needed - 1)]);
    return [...first, ...others];
  }

  /** Restarts in the background what an experiment has killed. */
  async refill(): Promise<void> {
    await Promise.all([this.fill('short'), this.fill('long')]);
  }

  /** Starts more instances than one experiment needs, and does not wait for them. */
  async prepareSpares(lease: LeaseLength): Promise<void> {
    if (lease === 'short') this.kept.short = SPARES.short;
    this.kept.long = SPARES.long;
    await this.refill();
  }

  /** Instances with a changed environment. They keep running for the next experiment that asks for the same changes. */
  async withEnvironment(
    changes: Readonly<Record<string, string>>,
    count = CUSTOM_INSTANCES,
  ): Promise<readonly Instance[]> {
    const key = JSON.stringify(changes);
    const name = `custom-${this.custom.size + 1}`;
    const instances = this.custom.get(key) ?? (await this.create(name, count, 'long', changes));
    this.custom.set(key, instances);
    for (const instance of instances) instance.begin();
    return firstServing(instances, count);
  }

  /** Stops every other instance with SIGSTOP. The returned function resumes them. */
  async freezeAllBut(...kept: readonly Instance[]): Promise<() => void> {
    const all = await this.all();
    // An instance that is starting has no process to stop yet, and would serve a moment later.
    await Promise.all(all.map((other) => other.begun()));
    const others = all.filter((other) => !kept.includes(other) && other.running);
    await Promise.all(others.map(freeze));
    return () => {
      for (const other of others) other.signal('SIGCONT');
    };
  }

  /** How many instances of the pool serve now and are not stopped. */
  async awake(): Promise<number> {
    return (await this.all()).filter(({ serving, state }) => serving && state !== 'T').length;
  }

  async resumeAll(): Promise<void> {
    for (const instance of await this.all()) instance.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    await Promise.all((await this.all()).map((instance) => instance.stop()));
  }

  private async serving(lease: LeaseLength, needed: number): Promise<readonly Instance[]> {
    this.kept[lease] = Math.max(this.kept[lease], needed);
    await this.fill(lease);
    return firstServing(await this.group(lease), needed);
  }

  /** Starts instances of the group until as many run as are kept. */
  private async fill(lease: LeaseLength): Promise<void> {
    if (this.kept[lease] === 0) return;
    const group = await this.group(lease);
    const idle = group.filter((instance) => !instance.running && !instance.isStarting);
    const missing = this.kept[lease] - (group.length - idle.length);
    for (const instance of idle.slice(0, Math.max(0, missing))) instance.begin();
  }

  private group(lease: LeaseLength): Promise<readonly Instance[]> {
    const group = this.groups.get(lease) ?? this.create(`${lease}-lease`, POOL_SIZE, lease);
    this.groups.set(lease, group);
    return group;
  }

  private async all(): Promise<readonly Instance[]> {
    return [...(await Promise.all(this.groups.values())).flat(), ...[...this.custom.values()].flat()];
  }

  private async create(
    group: string,
    count: number,
    lease: LeaseLength,
    changes: Readonly<Record<string, string>> = {},
  ): Promise<readonly Instance[]> {
    const { folder, reaper } = this;
    const env = {
      ...this.env,
      LOCK_LEASE_MS: String(LEASES[lease]),
      REDIS_ORDER_TIMEOUT_MS: String(REDIS_ORDER_TIMEOUT_MS[lease]),
      ...changes,
    };
    const ports = await freePorts(count);
    return ports.map((port, index) => {
      const name = `${group}-${index + 1}`;
      return new Instance(
        new InstanceEngine({ name, port, env, logFile: folder.in(`logs/${name}.log`), reaper }),
      );
    });
  }
}

/** Waits until that many instances of the group serve. */
async function firstServing(group: readonly Instance[], needed: number): Promise<readonly Instance[]> {
  const found = () => group.filter((instance) => instance.serving);
  await until(`${needed} instances serve`, () => Promise.resolve(found().length >= needed), 60_000);
  return found().slice(0, needed);
}
