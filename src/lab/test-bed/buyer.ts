import { type CheckpointName } from '../../checkpoints/checkpoint.js';
import { type Returned, type SentCommand } from '../../checkpoints/checkpoint-protocol.js';
import { LabError } from '../errors.js';
import { type Arrival, type ObservedBuyer, type CheckpointAction } from './checkpoint-server.js';
import { type Lanes } from './lanes.js';
import { type Instance } from './instance.js';
import { type PurchaseResult, type PurchaseRequest, send, tell } from './purchase.js';
import { quote, type Recorder } from './recorder.js';
import { SentCommands } from './sent-commands.js';

/** Why `runUntil` returned: the request is at a checkpoint, it waits for a lock, or it was answered. */
export type Halt = 'there' | 'waits' | 'answered';

export interface RunOptions {
  /**
   * Also return when the request waits. `anywhere`: it has no command in flight, or it waits for a lock in MySQL.
   * `in-server`: it waits for a lock in MySQL, or retries because an order in flight may still return its units to the
   * Redis stock. A request that waits for a lease to expire continues by itself; these may not.
   */
  readonly orWaits?: 'anywhere' | 'in-server';
}

const LONGEST_MS = 20_000;
const LOOK_EVERY_MS = 25;
/** A request that sends the same command this often between two checkpoints polls for a lock. */
const POLLS = 4;
/** A sale asks with this script whether the Redis stock is sold out or only reserved; then it retries. */
const SOLD_OUT_CHECK = ' sold-out.lua ';
/** Longer than the interval between two polls. */
const STILL_IDLE_MS = 150;
/** One sample of MySQL may show a wait that has just ended; two in a row do not. */
const SIGHTINGS = 2;

/** A checkpoint where the request is held. */
interface Held extends Arrival {
  readonly answer: (action: CheckpointAction) => void;
}

let buyers = 0;

/** One purchase at one instance, driven from checkpoint to checkpoint. */
export class Buyer implements ObservedBuyer {
  /** Unique: a late message may still arrive about the buyer of the same name in the experiment before. */
  readonly id: string;
  private sent: Promise<PurchaseResult> | undefined;
  private done: PurchaseResult | undefined;
  private stopAt: readonly CheckpointName[] = [];
  private held: Held | undefined;
  private halt: ((halt: Halt) => void) | undefined;
  private waitCounts: RunOptions['orWaits'];
  private soldOutChecks = 0;
  /** The request has no command in flight: it waits. */
  private idle = false;
  private confirmation: NodeJS.Timeout | undefined;
  /** It reached its checkpoint while no `runUntil` was pending, and none has asked for it since. */
  private unseen = false;
  private readonly commands: SentCommands;
  private readonly questions = new Map<string, number>();

  constructor(
    readonly name: string,
    readonly at: Instance,
    private readonly purchase: PurchaseRequest,
    private readonly recorder: Recorder,
    lanes: Lanes,
    private readonly waitsInMysql: () => Promise<boolean>,
  ) {
    buyers += 1;
    this.id = `${name} ${buyers}`;
    this.commands = new SentCommands(this, recorder, lanes);
    recorder.addActor({ id: name, kind: 'client', label: `buyer ${name}` });
    recorder.addActor({ id: at.name, kind: 'instance', label: at.name });
  }

  /** Sends the purchase, or continues it, until it reaches one of the checkpoints. */
  async runUntil(places: readonly CheckpointName[], { orWaits }: RunOptions = {}): Promise<Halt> {
    if (this.done) {
      this.recorder.awaited(this.id);
      return 'answered';
    }
    if (this.unseen && this.held && places.includes(this.held.name)) {
      this.noteHeld(this.held);
      this.recorder.awaited(this.id);
      return 'there';
    }
    this.stopAt = places;
    this.waitCounts = orWaits;
    this.soldOutChecks = 0;
    const halted = new Promise<Halt>((resolve) => (this.halt = resolve));
    const watch = orWaits ? this.watchMysql() : undefined;
    let late: NodeJS.Timeout | undefined;
    const hangs = new Promise<never>((_, reject) => {
      late = setTimeout(() => {
        reject(
          new LabError(
            `Buyer ${this.name} reached neither ${places.join(' nor ') || 'an answer'} within ${LONGEST_MS / 1000} s, and does not wait for a lock.`,
          ),
        );
      }, LONGEST_MS);
    });
    // The wait may be over by now: detect it again.
    this.questions.clear();
    this.confirmIdle();
    this.start();
    this.proceed();
    try {
      const halt = await Promise.race([halted, hangs]);
      this.recorder.awaited(this.id);
      if (halt === 'waits') this.noteWait();
      return halt;
    } finally {
      clearTimeout(late);
      clearInterval(watch);
      this.halt = undefined;
    }
  }

  /** Sends or continues the purchase until it is answered. */
  async finish(): Promise<PurchaseResult> {
    this.runToEnd();
    return this.answer();
  }

  /** The same without waiting for the answer. */
  runToEnd(): void {
    this.stopAt = [];
    this.start();
    this.proceed();
  }

  /** The result of a purchase that was sent. */
  async answer(): Promise<PurchaseResult> {
    if (!this.sent)
      throw new LabError(`Buyer ${this.name} has not sent its purchase. Call runUntil or finish first.`);
    const answer = await this.sent;
    this.recorder.awaited(this.id);
    return answer;
  }

  /** The order id on its receipt. */
  get receipt(): number | undefined {
    return this.done?.kind === 'sold' ? this.done.orderId : undefined;
  }

  /** The checkpoint where it is held. */
  get place(): CheckpointName | undefined {
    return this.held?.name;
  }

  /** Makes the instance act at the checkpoint where the request is held. */
  act(action: CheckpointAction): void {
    if (!this.held) throw new LabError(`Buyer ${this.name} is not held at a checkpoint.`);
    const { answer } = this.held;
    this.held = undefined;
    answer(action);
  }

  /** Resumes the instance and the request, and waits for the result. */
  async release(): Promise<void> {
    this.stopAt = [];
    this.at.signal('SIGCONT');
    this.proceed();
    await this.sent;
  }

  arrived(arrival: Arrival, answer: (action: CheckpointAction) => void): void {
    this.idle = false;
    this.questions.clear();
    this.recorder.event(`${this.name} ${arrival.name}`, this.id);
    if (!this.stopAt.includes(arrival.name)) {
      answer({ do: 'go' });
      return;
    }
    this.held = { ...arrival, answer };
    // The next call of runUntil sets the next checkpoints.
    this.stopAt = [];
    this.unseen = this.halt === undefined;
    if (!this.unseen) this.noteHeld(this.held);
    this.halt?.('there');
  }

  queried(command: SentCommand): void {
    this.idle = false;
    if (command.text === 'connect') return;
    const line = this.commands.record(command);
    const times = (this.questions.get(line) ?? 0) + 1;
    this.questions.set(line, times);
    if (times >= POLLS && this.waitCounts === 'anywhere') this.halt?.('waits');
    if (line.includes(SOLD_OUT_CHECK)) this.soldOutChecks += 1;
    if (this.soldOutChecks >= POLLS && this.waitCounts) this.halt?.('waits');
  }

  returned(answer: Returned): void {
    this.commands.returned(answer);
  }

  becameIdle(): void {
    this.idle = true;
    this.confirmIdle();
  }

  private start(): void {
    if (this.sent) return;
    const { strategy, goodsId, quantity = 1 } = this.purchase;
    const text = `buys ${quantity} of goods ${goodsId} by ${strategy}`;
    this.recorder.step({ actor: this.name, to: this.at.name, kind: 'request', text });
    this.sent = send(this.purchase, this.at.url, this.id).then((answer) => {
      this.done = answer;
      const step = { actor: this.at.name, to: this.name, kind: 'answer', text: tell(answer) } as const;
      this.recorder.step(step, this.id);
      this.recorder.event(`${this.name} ${answer.kind}`, this.id);
      this.halt?.('answered');
      return answer;
    });
  }

  /** On a busy machine a working request may be idle for a moment. */
  private confirmIdle(): void {
    clearTimeout(this.confirmation);
    this.confirmation = setTimeout(() => {
      if (this.idle && this.waitCounts === 'anywhere') this.halt?.('waits');
    }, STILL_IDLE_MS);
  }

  private proceed(): void {
    if (this.held) this.act({ do: 'go' });
  }

  private watchMysql(): NodeJS.Timeout {
    let sightings = 0;
    return setInterval(() => {
      this.waitsInMysql().then(
        (waits) => {
          sightings = waits ? sightings + 1 : 0;
          if (sightings === SIGHTINGS) this.halt?.('waits');
        },
        () => undefined,
      );
    }, LOOK_EVERY_MS);
  }

  /** A checkpoint is a step of the story if the experiment waits for it; otherwise the request passes it sooner or later. */
  private noteHeld({ name, source }: Held): void {
    this.unseen = false;
    const text = `${this.name} ${name}`;
    const step = { actor: this.at.name, kind: 'checkpoint', text } as const;
    this.recorder.step({ ...step, ...(source && { source: quote(source) }) }, this.id);
  }

  private noteWait(): void {
    const waits = `${this.name} waits`;
    this.recorder.step({ actor: this.at.name, kind: 'note', text: waits });
    this.recorder.event(waits);
  }
}
