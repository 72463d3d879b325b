import { type CheckpointName } from '../../checkpoints/checkpoint.js';
import { LabError } from '../errors.js';
import { type Arrival, type Directed, type Order, type Query } from './director.js';
import { type Player } from './player.js';
import { type Answer, type Purchase, send, tell } from './purchase.js';
import { quote, type Recorder } from './recorder.js';

/** Where a buyer has come to: the place, a wait for others, or the end. */
export type Halt = 'there' | 'waits' | 'answered';

export interface RunOptions {
  /**
   * Also halt when the buyer waits: `anywhere` when it has nothing under way or waits for a lock in MySQL, `in-mysql`
   * for the latter alone. A buyer who waits for a lease to end goes on by itself, one at a locked row may not.
   */
  readonly orWaits?: 'anywhere' | 'in-mysql';
}

const LONGEST_MS = 20_000;
const LOOK_EVERY_MS = 25;
const SHOWN_SQL = 90;
/** Who asks the same question so often between two places is waiting, and polls. */
const POLLS = 4;
/** Longer than the pause between two questions of one who polls. */
const STILL_SILENT_MS = 150;
/** A look at MySQL may catch a wait that has just ended; two in a row do not. */
const SIGHTINGS = 2;

let buyers = 0;

/** One purchase at one instance, led from checkpoint to checkpoint. */
export class Buyer implements Directed {
  /** Its name alone would be taken for the buyer of that name in the scene before, of whom a late word may come. */
  readonly id: string;
  private sent: Promise<Answer> | undefined;
  private done: Answer | undefined;
  private stopAt: readonly CheckpointName[] = [];
  private held: { readonly name: CheckpointName; readonly answer: (order: Order) => void } | undefined;
  private halt: ((halt: Halt) => void) | undefined;
  private heedsSilence = false;
  /** Nothing of it is under way: it waits for somebody else. */
  private silent = false;
  private confirmation: NodeJS.Timeout | undefined;
  /** It has come to the place where it is held while nobody looked. */
  private unseen = false;
  private readonly questions = new Map<string, number>();

  constructor(
    readonly name: string,
    readonly at: Player,
    private readonly purchase: Purchase,
    private readonly recorder: Recorder,
    private readonly waitsInMysql: () => Promise<boolean>,
  ) {
    buyers += 1;
    this.id = `${name} ${buyers}`;
    recorder.meet({ id: name, kind: 'client', label: `buyer ${name}` });
    recorder.meet({ id: at.name, kind: 'instance', label: at.name, pid: at.pid });
  }

  /** Sends the purchase, or goes on from where it stands, until it comes to one of the places. */
  async runUntil(places: readonly CheckpointName[], { orWaits }: RunOptions = {}): Promise<Halt> {
    if (this.done) return 'answered';
    if (this.unseen && this.held && places.includes(this.held.name)) {
      this.unseen = false;
      return 'there';
    }
    this.stopAt = places;
    this.heedsSilence = orWaits === 'anywhere';
    const halted = new Promise<Halt>((resolve) => (this.halt = resolve));
    const watch = orWaits ? this.watchMysql() : undefined;
    let late: NodeJS.Timeout | undefined;
    const hangs = new Promise<never>((_, reject) => {
      late = setTimeout(() => {
        reject(
          new LabError(`${this.name} came neither to ${places.join(' or ') || 'an end'} nor to a wait.`),
        );
      }, LONGEST_MS);
    });
    // What it was waiting for may have come meanwhile: it is seen to wait anew, or not.
    this.questions.clear();
    this.confirmSilence();
    this.start();
    this.goOn();
    try {
      const halt = await Promise.race([halted, hangs]);
      if (halt === 'waits') this.noteWait();
      return halt;
    } finally {
      clearTimeout(late);
      clearInterval(watch);
      this.halt = undefined;
    }
  }

  /** To the end. */
  async finish(): Promise<Answer> {
    this.stopAt = [];
    this.start();
    this.goOn();
    return this.answer();
  }

  /** The answer, of a buyer that is under way. */
  answer(): Promise<Answer> {
    if (!this.sent) throw new LabError(`${this.name} has not asked for anything yet.`);
    return this.sent;
  }

  /** The order that it was told it has. */
  get receipt(): number | undefined {
    return this.done?.kind === 'sold' ? this.done.orderId : undefined;
  }

  /** Where it is held. */
  get place(): CheckpointName | undefined {
    return this.held?.name;
  }

  /** Does, where it is held, what it is told. */
  obey(order: Order): void {
    if (!this.held) throw new LabError(`${this.name} is not held at a checkpoint.`);
    const { answer } = this.held;
    this.held = undefined;
    answer(order);
  }

  /** However far it has come, it runs to its end. */
  async letGo(): Promise<void> {
    this.stopAt = [];
    this.at.signal('SIGCONT');
    this.goOn();
    await this.sent;
  }

  arrived({ name, source }: Arrival, answer: (order: Order) => void): void {
    this.silent = false;
    this.questions.clear();
    this.recorder.event(`${this.name} ${name}`);
    if (!this.stopAt.includes(name)) {
      answer({ do: 'go' });
      return;
    }
    this.held = { name, answer };
    // Whoever lets it go says where it halts next.
    this.stopAt = [];
    this.recorder.step({
      actor: this.at.name,
      kind: 'checkpoint',
      text: `${this.name} ${name}`,
      ...(source && { source: quote(source) }),
    });
    this.unseen = this.halt === undefined;
    this.halt?.('there');
  }

  queried({ server, text }: Query): void {
    this.silent = false;
    if (text === 'connect') return;
    const times = (this.questions.get(text) ?? 0) + 1;
    this.questions.set(text, times);
    if (times >= POLLS && this.heedsSilence) this.halt?.('waits');
    if (times > POLLS) return;
    const shown = text.replace(/\s+/g, ' ').slice(0, SHOWN_SQL);
    this.recorder.meet({ id: server, kind: server, label: server === 'mysql' ? 'MySQL' : 'Redis' });
    this.recorder.step({ actor: this.at.name, to: server, kind: 'query', text: `${this.name}: ${shown}` });
  }

  fellSilent(): void {
    this.silent = true;
    this.confirmSilence();
  }

  private start(): void {
    if (this.sent) return;
    const { strategy, goodsId, quantity = 1 } = this.purchase;
    const text = `buys ${quantity} of goods ${goodsId} by ${strategy}`;
    this.recorder.step({ actor: this.name, to: this.at.name, kind: 'request', text });
    this.sent = send(this.purchase, this.at.url, this.id).then((answer) => {
      this.done = answer;
      this.recorder.step({ actor: this.at.name, to: this.name, kind: 'answer', text: tell(answer) });
      this.recorder.event(`${this.name} ${answer.kind}`);
      this.halt?.('answered');
      return answer;
    });
  }

  /** On a busy machine one who is at work may fall silent for a moment. */
  private confirmSilence(): void {
    clearTimeout(this.confirmation);
    this.confirmation = setTimeout(() => {
      if (this.silent && this.heedsSilence) this.halt?.('waits');
    }, STILL_SILENT_MS);
  }

  private goOn(): void {
    if (this.held) this.obey({ do: 'go' });
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

  private noteWait(): void {
    const waits = `${this.name} waits`;
    this.recorder.step({ actor: this.at.name, kind: 'note', text: waits });
    this.recorder.event(waits);
  }
}
