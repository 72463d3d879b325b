import {
  type CheckpointSource,
  type HeldCommand,
  type Returned,
  STEPS_HEADER,
  WITH_ANSWER,
  WITH_SOURCE,
} from '../../checkpoints/checkpoint-protocol.js';
import {
  type Arrival,
  type CheckpointAction,
  type Go,
  type InstanceLink,
  type ObservedBuyer,
} from '../test-bed/checkpoint-server.js';
import { type Instance } from '../test-bed/instance.js';
import { type PurchaseRequest, type PurchaseResult, send } from '../test-bed/purchase.js';
import { type ObservedServer } from '../../checkpoints/checkpoint.js';
import { coordinationTouches } from './coordination-touches.js';
import { isHousekeeping } from './housekeeping.js';
import { type Choice, type Touches } from './model.js';
import { MysqlTouches } from './mysql-touches.js';
import { type Answered, withoutRandom } from './polling.js';
import { RedisTouches } from './redis-touches.js';

/** A command that a buyer waits to send, or has sent. */
export interface BuyerCommand {
  choice: Choice;
  readonly server: string;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly source?: CheckpointSource;
  readonly go: Go;
  /** The step of the run at which it was sent. */
  step?: number;
  /** The step of the run at which it was answered: a later one, if the command had to wait. */
  answeredAt?: number;
  returned?: Returned;
}

export interface BuyerOptions {
  readonly name: string;
  readonly at: Instance;
  readonly purchase: PurchaseRequest;
  readonly withSource: boolean;
  /** The answer to the request is a step as well. */
  readonly withAnswer: boolean;
  /** Schedules housekeeping as well. */
  readonly allCommands: boolean;
  /** A fault may happen to its process: then its commands depend on that. */
  readonly canFail: boolean;
  /** The steps of the run that led to this request. */
  readonly causes: readonly number[];
  /** The name of the Redis server with this port. */
  readonly serverAt: (port: number) => string;
  /** The index of the step that is being taken. */
  readonly now: () => number;
}

let buyers = 0;

/** One purchase that is held before every command. */
export class SteppedBuyer implements ObservedBuyer {
  readonly id: string;
  readonly name: string;
  /** Held, in the order of arrival. */
  readonly pending: BuyerCommand[] = [];
  /** Sent, answered or not, in the order of their steps. */
  readonly sent: BuyerCommand[] = [];
  readonly history: Answered[] = [];
  result: PurchaseResult | undefined;
  /** Its process is stopped: time has passed when it sends its next command. */
  pausedMs: number | undefined;
  link: InstanceLink | undefined;
  private onBegun: (() => void) | undefined;
  private readonly ids = new Map<number, BuyerCommand>();
  private readonly causes: number[] = [];
  private readonly connections = new Set<number>();
  private readonly mysql = new MysqlTouches();
  private readonly redis = new RedisTouches();
  private answer: Promise<PurchaseResult> | undefined;

  constructor(private readonly options: BuyerOptions) {
    buyers += 1;
    this.name = options.name;
    this.id = `${options.name} step ${buyers}`;
    this.causes.push(...options.causes);
  }

  /** Sends the purchase. Resolves when it has arrived at its instance, or was answered. */
  async start(): Promise<void> {
    const { purchase, at, withSource, withAnswer } = this.options;
    const steps = [
      'every-command',
      ...(withSource ? [WITH_SOURCE] : []),
      ...(withAnswer ? [WITH_ANSWER] : []),
    ];
    const headers = { [STEPS_HEADER]: steps.join(', ') };
    const begun = new Promise<void>((resolve) => (this.onBegun = resolve));
    this.answer = send(purchase, at.url, this.id, headers).then((result) => (this.result = result));
    await Promise.race([begun, this.answer]);
  }

  get at(): Instance {
    return this.options.at;
  }

  /** Resolves when the answer to the request has arrived. */
  async ended(): Promise<void> {
    await this.answer;
  }

  /** Sent and not answered. */
  get unanswered(): readonly BuyerCommand[] {
    return this.sent.filter(({ returned }) => returned === undefined);
  }

  /** The numbers of its connections to MySQL. */
  get mysqlConnections(): readonly number[] {
    return [...this.connections];
  }

  /** What MySQL releases when the connections of the request break. */
  abandons(): Touches {
    return this.mysql.abandons();
  }

  /** The commands that can be sent next: the first one of each connection. */
  choices(): BuyerCommand[] {
    const busy = new Set(this.unanswered.map(({ choice }) => choice.id));
    const first = this.pending.filter(({ choice }) => {
      const isFree = !busy.has(choice.id);
      busy.add(choice.id);
      return isFree;
    });
    for (const command of first) this.followOn(command);
    return first;
  }

  /** A connection executes its commands in order, even if the request sent them together. */
  private followOn(command: BuyerCommand): void {
    const before = this.sent.findLast(({ choice }) => choice.id === command.choice.id)?.step;
    const { causes } = command.choice;
    if (before !== undefined && !causes.includes(before))
      command.choice = { ...command.choice, causes: [...causes, before] };
  }

  /** `lose`: the answer is lost on its way back. */
  release(command: BuyerCommand, lose = false): void {
    this.pending.splice(this.pending.indexOf(command), 1);
    command.step = this.options.now();
    this.sent.push(command);
    command.go({ laterMs: this.pausedMs, lose });
    this.pausedMs = undefined;
  }

  commanded(
    { id, server: kind, text, values = [], keys = [], port = 0, connection = 0, source }: HeldCommand,
    go: Go,
  ): void {
    const line = text.replace(/\s+/g, ' ').trim();
    if (isHousekeeping(line) && !(this.options.allCommands && line !== 'connect')) {
      go();
      return;
    }
    if (kind === 'mysql') this.connections.add(connection);
    const server = kind === 'redis' ? this.options.serverAt(port) : kind;
    const shared = this.touchesOf(kind, server, { text: line, values, keys, connection });
    const reads = this.options.canFail ? [...shared.reads, processOf(this.name)] : shared.reads;
    const touches = { reads, writes: shared.writes };
    const command: BuyerCommand = {
      choice: { id: `${this.name}@${server}`, actor: this.name, touches, causes: this.causesNow() },
      ...{ server, text: line, values, go },
      ...(source && { source }),
    };
    this.ids.set(id, command);
    this.pending.push(command);
  }

  private touchesOf(
    kind: ObservedServer,
    server: string,
    {
      text,
      values,
      keys,
      connection,
    }: Required<Pick<HeldCommand, 'text' | 'values' | 'keys' | 'connection'>>,
  ): Touches {
    switch (kind) {
      case 'mysql':
        return this.mysql.of(text, values);
      case 'redis':
        return this.redis.of(server, `connection ${connection} of ${this.at.name}`, text, keys);
      case 'etcd':
      case 'zookeeper':
        return coordinationTouches(server, text, keys);
      case 'client':
        return { reads: [], writes: [] };
    }
  }

  begun(at: InstanceLink): void {
    this.link = at;
    this.onBegun?.();
  }

  returned(returned: Returned): void {
    const command = this.ids.get(returned.id);
    if (command?.step === undefined) return;
    command.returned = returned;
    command.answeredAt = this.options.now();
    this.causes.push(command.step, command.answeredAt);
    this.history.push({
      command: commandKey(command),
      answer: withoutRandom(JSON.stringify(returned.error ?? returned.value ?? null)),
      step: command.step,
      touches: command.choice.touches,
    });
  }

  /** The explorer's requests do not stop at checkpoints. */
  arrived(_arrival: Arrival, answer: (action: CheckpointAction) => void): void {
    answer({ do: 'go' });
  }

  queried(): void {
    // Every command is reported by `commanded`.
  }

  becameIdle(): void {
    // The instance says so when it is asked to settle.
  }

  private causesNow(): number[] {
    const now = this.options.now();
    return [...new Set(now < 0 ? this.causes : [...this.causes, now])];
  }
}

/** The name in `Touches` of what a pause of the buyer's process changes. */
export function processOf(buyer: string): string {
  return `the process of ${buyer}`;
}

/** What the command is, without what differs from attempt to attempt. */
export function commandKey({ server, text, values }: BuyerCommand): string {
  return `${server} ${withoutRandom(`${text} ${JSON.stringify(values)}`)}`;
}
