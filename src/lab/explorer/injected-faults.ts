import { until } from '../until.js';
import { EXPLORED_LEASE_MS } from '../test-bed/test-bed.js';
import { type ExploredBed } from './explored-bed.js';
import { type HeldLease, holderOf } from './leases.js';
import { type Choice, type Touches } from './model.js';
import { processOf, type SteppedBuyer } from './stepped-buyer.js';

/**
 * What can happen once in a run, at any point.
 * `expire`: the lease of a lock holder ends. `expire-late`: only after the holder has committed. `crash`: the process of a
 * buyer is killed. `lost-reply`: a server or the service has done its work, and its answer is lost. `any`: one of them.
 */
export const FAULTS = ['none', 'expire', 'expire-late', 'crash', 'lost-reply', 'any'] as const;
export type Faults = (typeof FAULTS)[number];

export const EXPIRY = 'expire';
export const CRASH = 'crash';
export const LOSS = 'lose';
const MORE_THAN_A_LEASE_MS = EXPLORED_LEASE_MS + 1000;

/** The one fault of a run. */
export class InjectedFaults {
  private leases: readonly HeldLease[] = [];
  private did: Choice | undefined;

  constructor(
    private readonly kind: Faults,
    private readonly bed: ExploredBed,
  ) {}

  /** Whether a kind of fault is part of the plan. */
  includes(kind: Exclude<Faults, 'none' | 'any'>): boolean {
    return this.kind === kind || this.kind === 'any';
  }

  restart(): void {
    this.did = undefined;
    this.leases = [];
  }

  /** The buyer that it has happened to. */
  happened(what: typeof EXPIRY | typeof CRASH | typeof LOSS): string | undefined {
    return this.did?.id.startsWith(`${what} `) === true ? this.did.of : undefined;
  }

  /** Called when nothing moves: which leases could end now. */
  async look(): Promise<void> {
    const leasesMatter = this.includes('expire') || this.includes('expire-late');
    this.leases = leasesMatter && !this.did ? await this.bed.leases.held() : [];
  }

  choices(buyers: readonly SteppedBuyer[]): Choice[] {
    if (this.kind === 'none' || this.did) return [];
    const living = buyers.filter(({ result }) => result === undefined);
    return living.flatMap((buyer) => [
      ...this.expiry(buyer, buyers),
      ...(this.includes('crash') ? crashOf(buyer, buyers) : []),
      ...(this.includes('lost-reply') ? lossesOf(buyer) : []),
    ]);
  }

  /** Lets the fault happen. Answers what it was. A lost reply is a step of its buyer, which sends the command. */
  async take(choice: Choice, buyers: readonly SteppedBuyer[]): Promise<string> {
    this.did = choice;
    const buyer = buyers.find(({ name }) => name === choice.of) as SteppedBuyer;
    return choice.id.startsWith(CRASH) ? this.crash(buyer, buyers) : this.expire(buyer, buyers);
  }

  lost(choice: Choice): void {
    this.did = choice;
  }

  /** After the answer to its request, the holder writes nothing. */
  private expiry(buyer: SteppedBuyer, buyers: readonly SteppedBuyer[]): Choice[] {
    const leases = this.leases.filter((lease) => lease.ends && holderOf(lease, buyers) === buyer);
    const committed = buyer.sent.some(({ text, returned }) => text === 'COMMIT' && returned);
    if (leases.length === 0 || !(committed || this.includes('expire'))) return [];
    const writes = leases.flatMap(({ names }) => names);
    // A pause before the holder's next command and a pause before the command after that are two schedules.
    return [fault(EXPIRY, buyer.name, { reads: [], writes: [...writes, processOf(buyer.name)] })];
  }

  /** The lease ends while the process of its holder is paused: it goes on with its next command. */
  private async expire(holder: SteppedBuyer, buyers: readonly SteppedBuyer[]): Promise<string> {
    const leases = this.leases.filter((lease) => holderOf(lease, buyers) === holder);
    await this.bed.leases.end(leases);
    holder.pausedMs = MORE_THAN_A_LEASE_MS;
    return `the lease of ${holder.name} ends: ${[...new Set(leases.map(({ what }) => what))].join(', ')}`;
  }

  /** SIGKILL. The servers notice that the connections are closed, and roll back what was not committed. */
  private async crash(buyer: SteppedBuyer, buyers: readonly SteppedBuyer[]): Promise<string> {
    const { at } = buyer;
    const { pid } = at;
    const dying = atInstanceOf(buyer, buyers);
    at.signal('SIGKILL');
    await until(`${at.name} is gone`, () => Promise.resolve(!at.running));
    await Promise.all(dying.map((one) => one.ended()));
    // The commands that were held are never sent.
    for (const one of dying) one.pending.length = 0;
    await this.bed.testBed.mysqlConnectionsEnded(dying.flatMap(({ mysqlConnections }) => mysqlConnections));
    return `the process of ${dying.map(({ name }) => name).join(' and ')} is killed (${pid})`;
  }
}

function crashOf(buyer: SteppedBuyer, buyers: readonly SteppedBuyer[]): Choice[] {
  // Before its first command it has done nothing, and while its command waits in a server, it makes no difference.
  if (buyer.sent.length === 0 || buyer.unanswered.length > 0) return [];
  const dying = atInstanceOf(buyer, buyers);
  const writes = dying.flatMap((one) => [...one.abandons().writes, processOf(one.name)]);
  return [fault(CRASH, buyer.name, { reads: [], writes })];
}

function lossesOf(buyer: SteppedBuyer): Choice[] {
  return buyer.choices().map(({ choice, server }) => {
    const released = server === 'mysql' ? buyer.abandons().writes : [];
    const { reads, writes } = choice.touches;
    const touches = { reads, writes: [...writes, ...released, processOf(buyer.name)] };
    return { ...choice, id: `${LOSS} ${choice.id}`, touches, fault: true, of: buyer.name };
  });
}

function fault(what: string, buyer: string, touches: Touches): Choice {
  return { id: `${what} ${buyer}`, actor: 'time', touches, causes: [], fault: true, of: buyer };
}

/** Those that die with it. */
function atInstanceOf({ at }: SteppedBuyer, buyers: readonly SteppedBuyer[]): SteppedBuyer[] {
  return buyers.filter((other) => other.at === at && other.result === undefined);
}
