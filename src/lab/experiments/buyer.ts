import { type CheckpointName } from '../../checkpoints/checkpoint.js';
import { LabError } from '../errors.js';
import { type Arrival, type Directed, type Order, type Query } from './director.js';
import { type Player } from './player.js';
import { quote, type Recorder } from './recorder.js';

/** What a buyer was told in the end. */
export type Answer =
  | { readonly kind: 'sold'; readonly orderId: number; readonly remaining: number }
  | { readonly kind: 'refused'; readonly status: number; readonly type: string }
  | { readonly kind: 'unknown'; readonly why: string };

/** Where a buyer has come to: the place, a wait for others, or the end. */
export type Halt = 'there' | 'waits' | 'answered';

export interface Purchase {
  readonly strategy: string;
  readonly goodsId: number;
  readonly quantity?: number;
  readonly key?: string;
  /** Asked for as a basket of one line. */
  readonly basket?: boolean;
  /** Another way to the instance than its own address, such as through a wire that can be cut. */
  readonly via?: string;
}

export interface RunOptions {
  /**
   * Also halt when the buyer waits: `anywhere` when it has nothing under way or waits for a lock in MySQL, `in-mysql`
   * for the latter alone. A buyer who waits for a lease to end goes on by itself, one at a locked row may not.
   */
  readonly orWaits?: 'anywhere' | 'in-mysql';
}

interface Receipt {
  readonly orderId: number;
  readonly remaining: number;
}

const LONGEST_MS = 20_000;
const LOOK_EVERY_MS = 25;
const SHOWN_SQL = 90;
/** Who asks the same question so often between two places is waiting, and polls. */
const POLLS = 4;
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
    this.stopAt = places;
    this.heedsSilence = orWaits === 'anywhere';
    const halted = new Promise<Halt>((resolve) => (this.halt = resolve));
    const watch = orWaits ? this.watchMysql() : undefined;
    const late = setTimeout(() => this.halt?.('waits'), LONGEST_MS);
    this.start();
    this.goOn();
    if (this.silent && this.heedsSilence) this.halt?.('waits');
    try {
      const halt = await halted;
      if (halt === 'waits') this.note(`${this.name} waits`, 'waits');
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

  /** Its instance stops itself on this very line. Everything in that process stands still. */
  async pause(): Promise<void> {
    this.order({ do: 'stop' });
    await this.at.stopped();
    this.fault(`SIGSTOP: ${this.at.name} stands still`, 'paused');
    const { state } = this.at;
    this.recorder.prove(`${this.at.name} is stopped`, `state ${state ?? 'gone'} in /proc`, state === 'T');
  }

  /** Its instance goes on with the next line, knowing nothing of the time that has passed. */
  resume(): void {
    this.recorder.prove(
      `${this.at.name} was stopped until now`,
      `state ${this.at.state ?? 'gone'} in /proc`,
      this.at.state === 'T',
    );
    this.fault(`SIGCONT: ${this.at.name} goes on`, 'resumed');
    this.stopAt = [];
    this.at.resume();
  }

  /** Its instance dies on this very line. */
  async kill(): Promise<void> {
    const { pid } = this.at;
    this.order({ do: 'kill' });
    await this.at.gone();
    this.fault(`SIGKILL: ${this.at.name} is dead`, 'killed');
    this.recorder.prove(`process ${pid} is gone`, this.at.running ? 'it runs' : 'gone', !this.at.running);
    await this.answer();
  }

  /** Blocks the event loop of its instance for as long as the file exists. */
  block(whileFile: string): void {
    this.order({ do: 'block', whileFile });
    this.fault(`${this.at.name} computes and answers nobody`, 'blocked');
  }

  /** However far it has come, it runs to its end. */
  async letGo(): Promise<void> {
    this.stopAt = [];
    this.at.resume();
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
    this.recorder.step({
      actor: this.at.name,
      kind: 'checkpoint',
      text: `${this.name} ${name}`,
      ...(source && { source: quote(source) }),
    });
    this.halt?.('there');
  }

  queried({ server, text }: Query): void {
    this.silent = false;
    if (text === 'connect') return;
    const times = (this.questions.get(text) ?? 0) + 1;
    this.questions.set(text, times);
    if (times >= POLLS) this.fellSilent();
    if (times > POLLS) return;
    const shown = text.replace(/\s+/g, ' ').slice(0, SHOWN_SQL);
    this.recorder.meet({ id: server, kind: server, label: server === 'mysql' ? 'MySQL' : 'Redis' });
    this.recorder.step({ actor: this.at.name, to: server, kind: 'query', text: `${this.name}: ${shown}` });
  }

  fellSilent(): void {
    this.silent = true;
    if (this.heedsSilence) this.halt?.('waits');
  }

  private start(): void {
    if (this.sent) return;
    const { strategy, goodsId, quantity = 1 } = this.purchase;
    const text = `buys ${quantity} of goods ${goodsId} by ${strategy}`;
    this.recorder.step({ actor: this.name, to: this.at.name, kind: 'request', text });
    this.sent = this.send().then((answer) => {
      this.done = answer;
      this.recorder.step({ actor: this.at.name, to: this.name, kind: 'answer', text: tell(answer) });
      this.recorder.event(`${this.name} ${answer.kind}`);
      this.halt?.('answered');
      return answer;
    });
  }

  private async send(): Promise<Answer> {
    const { strategy, goodsId, quantity = 1, key, basket = false, via = this.at.url } = this.purchase;
    const path = basket ? `/orders/${strategy}` : `/goods/${goodsId}/deduct/${strategy}`;
    const wanted = basket ? { items: [{ goodsId, quantity }] } : { quantity };
    try {
      const response = await fetch(`${via}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-buyer': this.id,
          connection: 'close',
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        body: JSON.stringify(wanted),
        signal: AbortSignal.timeout(LONGEST_MS),
      });
      const body = (await response.json()) as Receipt & { orders?: Receipt[]; type: string };
      const { orderId, remaining } = body.orders?.[0] ?? body;
      if (response.ok) return { kind: 'sold', orderId, remaining };
      if (response.status === 504) return { kind: 'unknown', why: body.type };
      return { kind: 'refused', status: response.status, type: body.type };
    } catch (error) {
      return { kind: 'unknown', why: causeOf(error) };
    }
  }

  private goOn(): void {
    if (this.held) this.order({ do: 'go' });
  }

  private order(order: Order): void {
    if (!this.held) throw new LabError(`${this.name} is not held at a checkpoint.`);
    const { answer } = this.held;
    this.held = undefined;
    answer(order);
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

  private note(text: string, event: string): void {
    this.recorder.step({ actor: this.at.name, kind: 'note', text });
    this.recorder.event(`${this.name} ${event}`);
  }

  private fault(text: string, event: string): void {
    this.recorder.step({ actor: 'lab', to: this.at.name, kind: 'fault', text });
    this.recorder.event(`${this.name} ${event}`);
  }
}

function tell(answer: Answer): string {
  switch (answer.kind) {
    case 'sold':
      return `sold, ${answer.remaining} left`;
    case 'refused':
      return `${answer.status} ${answer.type}`;
    case 'unknown':
      return `no answer (${answer.why})`;
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message;
}
