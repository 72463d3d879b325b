import { type StrategyMetadata } from '../../contract/strategy.js';
import { LabError } from '../errors.js';
import { type Instance } from '../test-bed/instance.js';
import { type PurchaseResult } from '../test-bed/purchase.js';
import { EXPLORED_WAIT_MS, GOODS } from '../test-bed/test-bed.js';
import { sendsKeys } from './expectation.js';
import { type ExploredBed } from './explored-bed.js';
import { type Faults, InjectedFaults, LOSS, CRASH } from './injected-faults.js';
import { type HeldLease, holderOf } from './leases.js';
import { type Choice, type Model } from './model.js';
import { type ScheduleOutcome, outcomeOf } from './outcome.js';
import { type Effect, isRepetition, onlyRepeats } from './polling.js';
import { type Rest, settle } from './settling.js';
import { type BuyerSituation } from './situation.js';
import { type BuyerCommand, commandKey, SteppedBuyer } from './stepped-buyer.js';

export interface ExplorationPlan {
  readonly strategy: StrategyMetadata;
  readonly buyers: number;
  /** Buyers are spread over them. */
  readonly instances: number;
  readonly stock: number;
  readonly faults: Faults;
  readonly allCommands: boolean;
  /** Each buyer sends an idempotency key. */
  readonly keys?: boolean;
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
  private instances: readonly Instance[] = [];
  private readonly faults: InjectedFaults;
  /** The request that got no usable answer, and was repeated. */
  private repeated: SteppedBuyer | undefined;
  /** Reports the place in the source of every command. */
  withSource = false;

  constructor(
    readonly bed: ExploredBed,
    readonly plan: ExplorationPlan,
  ) {
    this.faults = new InjectedFaults(plan.faults, bed);
  }

  async restart(): Promise<void> {
    const { strategy, stock } = this.plan;
    await this.finish();
    this.bed.testBed.checkpoints.forgetBuyers();
    this.effects.length = 0;
    this.steps.length = 0;
    this.now = -1;
    this.forced = 0;
    this.faults.restart();
    this.repeated = undefined;
    this.instances = await this.bed.ready(this.plan.instances);
    if (this.faults.includes('lost-reply')) await this.bed.reconnected(this.instances);
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
    // When no buyer can continue, the run has ended.
    return open.length === 0 ? [] : [...open, ...this.faults.choices(this.buyers)];
  }

  async take(choice: Choice): Promise<void> {
    if (this.steps.length >= LONGEST_RUN)
      throw new LabError(`A run of ${this.plan.strategy.name} does not end after ${LONGEST_RUN} steps.`);
    this.now = this.steps.length;
    if (choice.fault && choice.actor === 'time') await this.inject(choice);
    else await this.send(choice);
  }

  async outcome(): Promise<ScheduleOutcome> {
    const results = new Map(this.buyers.map(({ name, result }) => [name, result as PurchaseResult]));
    const mayLeave = this.faults.happened(CRASH) !== undefined || this.faults.happened(LOSS) !== undefined;
    const { audit, written } = await this.bed.judge(await this.living(), mayLeave);
    return outcomeOf(audit, results, written, this.repeated);
  }

  /** Finishes the requests of a run that was cut. */
  async finish(): Promise<void> {
    for (let choices = this.choices(); choices[0]; choices = this.choices()) await this.take(choices[0]);
  }

  /** Says which buyer holds a lease. */
  owners(): (lease: HeldLease) => string | undefined {
    return (lease) => holderOf(lease, [...this.buyers, ...(this.repeated ? [this.repeated] : [])])?.name;
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
    const isLost = choice.fault === true;
    const id = isLost ? choice.id.slice(LOSS.length + 1) : choice.id;
    const command = buyer.choices().find((one) => one.choice.id === id) as BuyerCommand;
    this.forced = this.repeats(buyer, command) ? this.forced + 1 : 0;
    if (isLost) this.faults.lost(choice);
    buyer.release(command, isLost);
    await this.rest();
    const { writes } = choice.touches;
    this.effects.push({ actor: buyer.name, writes: isRepetition(buyer.history) ? [] : writes });
    this.record({ choice, command });
  }

  private async inject(choice: Choice): Promise<void> {
    const what = await this.faults.take(choice, this.buyers);
    this.effects.push({ actor: choice.actor, writes: choice.touches.writes });
    this.wakeIdle();
    await this.rest();
    this.record({ choice, what });
  }

  /** Waiters ask again when a lease is over. */
  private wakeIdle(): void {
    const idle = this.buyers.filter((buyer) => !buyer.result && this.rests.get(buyer) === 'idle');
    for (const buyer of idle) buyer.link?.elapse(buyer.id);
  }

  private record(step: Omit<TakenStep, 'rests'>): void {
    const rests = Object.fromEntries([...this.rests].map(([{ name }, rest]) => [name, rest]));
    this.steps.push({ ...step, rests });
  }

  /** Waits until nothing moves any more. When no buyer can continue, time passes until the waits end. */
  private async rest(): Promise<void> {
    const waits = () => this.bed.testBed.mysqlWaits();
    for (let waited = false; ;) {
      this.rests = await settle(this.buyers, waits);
      if (await this.asksAgain()) continue;
      const living = this.buyers.filter(({ result }) => !result);
      const canGoOn = living.some((buyer) => buyer.choices().length > 0) && this.forced < FORCED_POLLS;
      if (living.length === 0 || canGoOn || waited) break;
      this.forced = 0;
      if (await this.endAbandonedLeases()) {
        this.wakeIdle();
        continue;
      }
      waited = true;
      for (const link of new Set(living.flatMap((buyer) => buyer.link ?? [])))
        link.later(EXPLORED_WAIT_MS + 1000);
    }
    await this.faults.look();
  }

  /** A lease ends before a wait does: those of holders that are gone. */
  private async endAbandonedLeases(): Promise<boolean> {
    const held = await this.bed.leases.held();
    const abandoned = held.filter((lease) => lease.ends && !this.isLiving(lease));
    await this.bed.leases.end(abandoned);
    return abandoned.length > 0;
  }

  private isLiving(lease: HeldLease): boolean {
    const holder = holderOf(lease, this.buyers);
    return holder !== undefined && holder.result === undefined;
  }

  /** A client that got no usable answer asks once more. It does not know whether it has bought. */
  private async asksAgain(): Promise<boolean> {
    const name = this.faults.happened(LOSS);
    const index = this.buyers.findIndex((buyer) => buyer.name === name);
    const buyer = this.buyers[index];
    if (!buyer?.result || this.repeated || !isUnclear(buyer.result)) return false;
    this.repeated = buyer;
    const again = this.newBuyer(index, [this.now]);
    this.buyers = this.buyers.map((one) => (one === buyer ? again : one));
    await again.start();
    return true;
  }

  private repeats(buyer: SteppedBuyer, command: BuyerCommand): boolean {
    return onlyRepeats(commandKey(command), buyer.name, buyer.history, this.effects);
  }

  private newBuyer(index: number, causes: readonly number[] = []): SteppedBuyer {
    const { strategy, allCommands } = this.plan;
    const name = String.fromCharCode('A'.charCodeAt(0) + index);
    const buyer = new SteppedBuyer({
      name,
      causes,
      at: this.instances[index % this.instances.length] as Instance,
      purchase: {
        strategy: strategy.name,
        goodsId: GOODS,
        ...(sendsKeys(this.plan) && { key: `purchase-of-${name}` }),
      },
      withSource: this.withSource,
      allCommands,
      canFail: this.plan.faults !== 'none',
      withAnswer: this.faults.includes('crash') || this.faults.includes('lost-reply'),
      serverAt: (port) => this.bed.serverAt(port),
      now: () => this.now,
    });
    this.bed.testBed.checkpoints.observe(buyer.id, buyer);
    return buyer;
  }

  private get first(): Instance {
    return this.instances[0] as Instance;
  }

  /** When the crash has killed the only instance, another one is asked. It must not be warmed up, which resets the stock. */
  private async living(): Promise<Instance> {
    const { testBed } = this.bed;
    return this.instances.find(({ running }) => running) ?? ((await testBed.explored(1))[0] as Instance);
  }
}

/** No answer, or one that says that the service could not tell or serve. */
function isUnclear(result: PurchaseResult): boolean {
  return result.kind === 'unknown' || (result.kind === 'refused' && result.status >= 500);
}
