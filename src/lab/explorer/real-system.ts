import { type StrategyMetadata } from '../../contract/strategy.js';
import { LabError } from '../errors.js';
import { type Instance } from '../test-bed/instance.js';
import { type PurchaseResult } from '../test-bed/purchase.js';
import { EXPLORED_LEASE_MS, EXPLORED_WAIT_MS, GOODS } from '../test-bed/test-bed.js';
import { type ExploredBed } from './explored-bed.js';
import { type HeldLease, holderOf } from './leases.js';
import { type Choice, type Model } from './model.js';
import { type ScheduleOutcome, outcomeOf } from './outcome.js';
import { type Effect, isRepetition, onlyRepeats } from './polling.js';
import { type Rest, settle } from './settling.js';
import { type BuyerSituation } from './situation.js';
import { type BuyerCommand, commandKey, processOf, SteppedBuyer } from './stepped-buyer.js';

/** `expire`: once, the lease of the lock holder ends. `expire-late`: only after the holder has committed. */
export const FAULTS = ['none', 'expire', 'expire-late'] as const;
export type Faults = (typeof FAULTS)[number];

export interface ExplorationPlan {
  readonly strategy: StrategyMetadata;
  readonly buyers: number;
  /** Buyers are spread over them. */
  readonly instances: number;
  readonly stock: number;
  readonly faults: Faults;
  readonly allCommands: boolean;
}

/** A step that was taken, for the story. */
export interface TakenStep {
  readonly choice: Choice;
  /** Undefined for a fault. */
  readonly command?: BuyerCommand;
  readonly what?: string;
  /** What each buyer did when nothing moved any more. */
  readonly rests: Readonly<Record<string, Rest>>;
}

export const EXPIRY = 'expire';
const MORE_THAN_A_LEASE_MS = EXPLORED_LEASE_MS + 1000;
/** When no other buyer can continue, polling buyers poll this many times; then time passes. */
const FORCED_POLLS = 3;
const LONGEST_RUN = 500;

/** A strategy on real servers, one command at a time. */
export class RealSystem implements Model<ScheduleOutcome> {
  private buyers: readonly SteppedBuyer[] = [];
  private rests: ReadonlyMap<SteppedBuyer, Rest> = new Map();
  private readonly effects: Effect[] = [];
  /** The steps of this run. */
  readonly steps: TakenStep[] = [];
  private now = -1;
  private forced = 0;
  private leases: readonly HeldLease[] = [];
  private expired = false;
  /** Reports the place in the source of every command. */
  withSource = false;

  constructor(
    readonly bed: ExploredBed,
    private readonly instances: readonly Instance[],
    readonly plan: ExplorationPlan,
  ) {}

  async restart(): Promise<void> {
    const { strategy, stock } = this.plan;
    await this.finish();
    this.bed.testBed.checkpoints.forgetBuyers();
    this.effects.length = 0;
    this.steps.length = 0;
    this.now = -1;
    this.forced = 0;
    this.expired = false;
    await this.bed.reset(this.first, stock, strategy.name);
    this.buyers = Array.from({ length: this.plan.buyers }, (_, index) => this.newBuyer(index));
    // In this order: buyers at one instance may queue there before their first command.
    for (const buyer of this.buyers) await buyer.start();
    await this.rest();
  }

  choices(): readonly Choice[] {
    const all = this.buyers.flatMap((buyer) => buyer.choices().map((command) => ({ buyer, command })));
    const useful = all.filter(({ buyer, command }) => !this.repeats(buyer, command));
    const open = (useful.length > 0 ? useful : all).map(({ command }) => command.choice);
    return [...open, ...this.faults(open)];
  }

  async take(choice: Choice): Promise<void> {
    if (this.steps.length >= LONGEST_RUN)
      throw new LabError(`A run of ${this.plan.strategy.name} does not end after ${LONGEST_RUN} steps.`);
    this.now = this.steps.length;
    if (choice.fault) await this.expire(choice);
    else await this.send(choice);
  }

  async outcome(): Promise<ScheduleOutcome> {
    const results = new Map(this.buyers.map(({ name, result }) => [name, result as PurchaseResult]));
    const { audit, written } = await this.bed.judge(this.first);
    return outcomeOf(audit, results, written);
  }

  /** Finishes the requests of a run that was cut. */
  async finish(): Promise<void> {
    for (let choices = this.choices(); choices[0]; choices = this.choices()) await this.take(choices[0]);
  }

  /** Says which buyer holds a lease. */
  owners(): (lease: HeldLease) => string | undefined {
    return (lease) => holderOf(lease, this.buyers)?.name;
  }

  /** What each buyer does. */
  situation(): readonly BuyerSituation[] {
    return this.buyers.map((buyer) => {
      const { name, at, unanswered, result } = buyer;
      const rest = this.rests.get(buyer) ?? 'idle';
      return { name, instance: at.name, rest, next: buyer.choices(), unanswered, result };
    });
  }

  private async send(choice: Choice): Promise<void> {
    const buyer = this.buyers.find(({ name }) => name === choice.actor) as SteppedBuyer;
    const command = buyer.choices().find((one) => one.choice.id === choice.id) as BuyerCommand;
    this.forced = this.repeats(buyer, command) ? this.forced + 1 : 0;
    buyer.release(command);
    await this.rest();
    const { writes } = choice.touches;
    this.effects.push({ actor: buyer.name, writes: isRepetition(buyer.history) ? [] : writes });
    this.record({ choice, command });
  }

  private record(step: Omit<TakenStep, 'rests'>): void {
    const rests = Object.fromEntries([...this.rests].map(([{ name }, rest]) => [name, rest]));
    this.steps.push({ ...step, rests });
  }

  /** Waits until nothing moves any more. When no buyer can continue, time passes until the waits end. */
  private async rest(): Promise<void> {
    const waits = () => this.bed.testBed.mysqlWaits();
    this.rests = await settle(this.buyers, waits);
    const living = this.buyers.filter(({ result }) => !result);
    const canGoOn = living.some((buyer) => buyer.choices().length > 0) && this.forced < FORCED_POLLS;
    if (living.length > 0 && !canGoOn) {
      this.forced = 0;
      for (const link of new Set(living.flatMap((buyer) => buyer.link ?? [])))
        link.later(EXPLORED_WAIT_MS + 1000);
      this.rests = await settle(this.buyers, waits);
    }
    if (this.plan.faults !== 'none' && !this.expired) this.leases = await this.bed.leases.held();
  }

  private repeats(buyer: SteppedBuyer, command: BuyerCommand): boolean {
    return onlyRepeats(commandKey(command), buyer.name, buyer.history, this.effects);
  }

  private faults(open: readonly Choice[]): Choice[] {
    const [lease] = this.leases;
    if (this.plan.faults === 'none' || this.expired || !lease || open.length === 0) return [];
    const holder = holderOf(lease, this.buyers);
    // After the answer to its request, the holder writes nothing.
    if (!holder || holder.result) return [];
    const committed = holder.sent.some(({ text, returned }) => text === 'COMMIT' && returned);
    if (this.plan.faults === 'expire-late' && !committed) return [];
    const writes = this.leases.flatMap(({ names }) => names);
    // A pause before the holder's next command and a pause before the command after that are two schedules.
    const touches = { reads: [], writes: [...writes, processOf(holder.name)] };
    return [{ id: `${EXPIRY} ${holder.name}`, actor: 'time', touches, causes: [], fault: true }];
  }

  /** The lease ends while the process of its holder is paused: it goes on with its next command. */
  private async expire(choice: Choice): Promise<void> {
    const [lease] = this.leases;
    const holder = lease && holderOf(lease, this.buyers);
    await this.bed.leases.end();
    this.expired = true;
    this.leases = [];
    if (holder) holder.pausedMs = MORE_THAN_A_LEASE_MS;
    this.effects.push({ actor: choice.actor, writes: choice.touches.writes });
    // Waiters ask again when the lease is over.
    const idle = this.buyers.filter((buyer) => this.rests.get(buyer) === 'idle');
    for (const buyer of idle) buyer.link?.elapse(buyer.id);
    await this.rest();
    this.record({ choice, what: `the lease of ${holder?.name ?? 'the holder'} ends: ${lease?.what ?? ''}` });
  }

  private newBuyer(index: number): SteppedBuyer {
    const { strategy, allCommands } = this.plan;
    const buyer = new SteppedBuyer({
      name: String.fromCharCode('A'.charCodeAt(0) + index),
      at: this.instances[index % this.instances.length] as Instance,
      purchase: { strategy: strategy.name, goodsId: GOODS },
      withSource: this.withSource,
      allCommands,
      canBePaused: this.plan.faults !== 'none',
      serverAt: (port) => this.bed.serverAt(port),
      now: () => this.now,
    });
    this.bed.testBed.checkpoints.observe(buyer.id, buyer);
    return buyer;
  }

  private get first(): Instance {
    return this.instances[0] as Instance;
  }
}
