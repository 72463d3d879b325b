import { type DataFolder } from '../data-folder.js';
import { Instance } from '../engines/instance.js';
import { freeze } from '../faults/pause.js';
import { freePorts } from '../ports.js';
import { type Guard } from '../processes/guard.js';
import { until } from '../until.js';
import { Player } from './player.js';

/** How long a lock's lease is: so short that an experiment can wait for its end, or so long that it never ends in one. */
export const LEASES = { short: 700, long: 600_000 } as const;
export type LeaseLength = keyof typeof LEASES;

/** A gate waits longer than for a lease for what is on its way; those who wait for the end of a lease wait for that, too. */
const GATE_PATIENCE_MS: Readonly<Record<LeaseLength, number>> = { short: 2 * LEASES.short, long: 5000 };
/** More than a scene needs: the dead ones of the last scenes can start again meanwhile. */
const PLAYERS: Readonly<Record<LeaseLength, number>> = { short: 4, long: 4 };
const GUESTS = 2;

/** All instances of a stage, whichever scene they take part in. */
export class Troupe {
  private readonly casts = new Map<LeaseLength, Promise<readonly Player[]>>();
  private guests: readonly Player[] = [];

  constructor(
    private readonly folder: DataFolder,
    private readonly guard: Guard,
    /** What every instance finds in its environment. */
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /**
   * So many instances that serve; those that do not are started. Only the lease of the first one is ever short: the
   * others shall not lose theirs while a busy machine keeps them waiting.
   */
  async players(lease: LeaseLength, needed: number): Promise<readonly Player[]> {
    if (lease === 'long') return serving(await this.cast('long'), needed);
    const [first, others] = await Promise.all([
      this.cast('short').then((cast) => serving(cast, 1)),
      this.players('long', needed - 1),
    ]);
    return [...first, ...others];
  }

  /** Starts the instances for a scene with such a lease, for who will ask for them later. */
  async prepare(lease: LeaseLength): Promise<void> {
    if (lease === 'short') await this.prepare('long');
    for (const player of await this.cast(lease)) player.begin();
  }

  /** Instances with another environment than the rest. They stay, so whoever invites them again wants the same changes. */
  async invite(changes: Readonly<Record<string, string>>): Promise<readonly Player[]> {
    if (this.guests.length === 0) this.guests = await this.engage('guest', GUESTS, 'long', changes);
    return serving(this.guests, GUESTS);
  }

  /** Stops every other instance, whoever it belongs to; the answer lets them go on. */
  async freezeAllBut(player: Player): Promise<() => void> {
    const everybody = await this.everybody();
    // One that is starting cannot be stopped yet, and would be at work before long.
    await Promise.all(everybody.map((other) => other.begun()));
    const others = everybody.filter((other) => other !== player && other.running);
    await Promise.all(others.map(freeze));
    return () => {
      for (const other of others) other.signal('SIGCONT');
    };
  }

  /** How many instances serve at this moment, whoever they belong to. */
  async awake(): Promise<number> {
    return (await this.everybody()).filter(({ serving, state }) => serving && state !== 'T').length;
  }

  async resumeAll(): Promise<void> {
    for (const player of await this.everybody()) player.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    await Promise.all((await this.everybody()).map((player) => player.stop()));
  }

  private cast(lease: LeaseLength): Promise<readonly Player[]> {
    const cast = this.casts.get(lease) ?? this.engage(`${lease}-lease`, PLAYERS[lease], lease);
    this.casts.set(lease, cast);
    return cast;
  }

  private async everybody(): Promise<readonly Player[]> {
    return [...(await Promise.all(this.casts.values())).flat(), ...this.guests];
  }

  private async engage(
    name: string,
    count: number,
    lease: LeaseLength,
    changes: Readonly<Record<string, string>> = {},
  ): Promise<readonly Player[]> {
    const { folder, guard } = this;
    const env = {
      ...this.env,
      LOCK_LEASE_MS: String(LEASES[lease]),
      GATE_PATIENCE_MS: String(GATE_PATIENCE_MS[lease]),
      ...changes,
    };
    const ports = await freePorts(count);
    return ports.map((port, index) => {
      const called = `${name}-${index + 1}`;
      return new Player(
        new Instance({ name: called, port, env, logFile: folder.in(`logs/${called}.log`), guard }),
      );
    });
  }
}

/** As many of the cast as are needed; those that do not run are started. */
async function serving(cast: readonly Player[], needed: number): Promise<readonly Player[]> {
  for (const player of cast) player.begin();
  const found = () => cast.filter((player) => player.serving);
  await until(`${needed} instances`, () => Promise.resolve(found().length >= needed), 60_000);
  return found().slice(0, needed);
}
