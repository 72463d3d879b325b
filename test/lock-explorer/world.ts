import { getEventListeners } from 'node:events';
import { History } from './history.js';
import { COMMAND_TIMEOUT_MS, MemoryEngine, type Request } from './memory-engine.js';
import { MemoryServer } from './memory-server.js';
import { quiescent, type VirtualTime } from './virtual-time.js';

/** How often each kind of fault may happen in one run. */
export interface Budget {
  /** A command fails and was not run. */
  readonly failures?: number;
  /** A command was run, and its answer is an error. */
  readonly lostAnswers?: number;
  /** A command was run; its answer comes later, or never if the run ends before. */
  readonly lateAnswers?: number;
  /** A timer fires although something else could happen first. */
  readonly earlyTicks?: number;
  /** Time passes in which no command reaches the server: a whole lease, unless the scenario says otherwise. */
  readonly stalls?: number;
  /** A caller aborts. */
  readonly aborts?: number;
}
export type Fault = keyof Budget;

/** One thing that can happen next. */
export interface Choice {
  readonly id: string;
  /** What it reads or writes: two choices that share nothing can be swapped without changing the outcome. */
  readonly touches: readonly string[];
  readonly fault?: Fault;
  readonly act: () => void | Promise<void>;
}

/** The same for every choice: time and the budgets of faults order everything that uses them. */
const TIME = 'time';

/** All that can happen, and nothing that happens by itself: clients, their commands, timers and callers' steps. */
export class World {
  readonly history: History;
  readonly server: MemoryServer;
  private readonly engines = new Map<string, MemoryEngine>();
  private readonly choices = new Map<string, Choice>();
  private readonly spent = new Map<Fault, number>();
  private readonly signals: AbortSignal[] = [];

  constructor(
    readonly time: VirtualTime,
    /** How long a stall lasts. */
    private readonly stallMs: number,
    private readonly budget: Budget,
  ) {
    this.history = new History(() => time.now);
    this.server = new MemoryServer(
      () => time.now,
      (key) => this.publish(key),
    );
  }

  engine(client: string): MemoryEngine {
    const engine = new MemoryEngine(client, this.server, (sentence) => {
      this.history.violated(sentence);
    });
    this.engines.set(client, engine);
    return engine;
  }

  /** Whether a command or its answer was kept from arriving in time: only then may a key stay locked for a lease. */
  get wasDisturbed(): boolean {
    return [...this.spent.keys()].some((fault) => fault !== 'aborts' && fault !== 'earlyTicks');
  }

  /** Stops a caller until the explorer continues it. */
  step(client: string, name: string): Promise<void> {
    return new Promise((resolve) => {
      this.offer({ id: name, touches: [client], act: resolve });
    });
  }

  /** A signal that the explorer may abort at any time until `done` is called. */
  abortable(client: string, caller: string): { readonly signal: AbortSignal; readonly done: () => void } {
    const controller = new AbortController();
    const id = `${caller} aborts`;
    this.signals.push(controller.signal);
    const abort = () => {
      controller.abort(new Error('aborted by the caller'));
    };
    this.offer({ id, touches: [client], fault: 'aborts', act: abort });
    return { signal: controller.signal, done: () => this.choices.delete(id) };
  }

  /** What can happen now. The first is what a quick and faultless system would do. */
  enabled(): Choice[] {
    const open = [
      ...this.choices.values(),
      ...[...this.engines.values()].flatMap((engine) => this.deliveries(engine)),
    ];
    const possible = open.filter(({ fault }) => fault === undefined || this.affords(fault));
    const busy = possible.some(({ fault }) => fault === undefined);
    if (this.time.pending > 0 && (!busy || this.affords('earlyTicks'))) {
      possible.push({
        id: 'tick',
        touches: [TIME],
        ...(busy && { fault: 'earlyTicks' as const }),
        act: () => void this.time.fireNext(),
      });
    }
    if (busy && this.affords('stalls')) {
      possible.push({ id: 'stall', touches: [TIME], fault: 'stalls', act: () => this.pass(this.stallMs) });
    }
    return possible.sort((a, b) => Number(a.fault !== undefined) - Number(b.fault !== undefined));
  }

  async take(choice: Choice): Promise<void> {
    this.choices.delete(choice.id);
    if (choice.fault) this.spent.set(choice.fault, (this.spent.get(choice.fault) ?? 0) + 1);
    this.history.happened(choice.id);
    await choice.act();
    await quiescent();
  }

  /** Lets time pass; commands that are sent meanwhile stay in flight. */
  async pass(ms: number): Promise<void> {
    const until = this.time.now + ms;
    while (this.time.fireNext(until)) await quiescent();
  }

  /** Delivers everything without a fault until nothing is in flight; then the callers' signals must have no listeners. */
  async settle(): Promise<void> {
    for (let steps = 0; steps < 1000; steps += 1) {
      const next = this.enabled().find(({ fault, id }) => fault === undefined && id !== 'tick');
      if (!next) return;
      await this.take(next);
    }
    this.history.violated('Commands are sent without end.');
  }

  get leakedListeners(): number {
    return this.signals.reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0);
  }

  private offer(choice: Choice): void {
    this.choices.set(choice.id, choice);
  }

  private affords(fault: Fault): boolean {
    return (this.spent.get(fault) ?? 0) < (this.budget[fault] ?? 0);
  }

  /** The first command of a connection: the server reads them in order. */
  private deliveries({ client, inFlight }: MemoryEngine): Choice[] {
    const [request] = inFlight;
    if (!request) return [];
    const touches = [client, `key ${request.key}`];
    const choice = (what: string, fault: Fault | undefined, act: () => void): Choice => ({
      id: `${request.id}${what}`,
      touches: fault ? [...touches, TIME] : touches,
      ...(fault && { fault }),
      act: () => {
        inFlight.shift();
        act();
      },
    });
    return [
      choice('', undefined, () => {
        run(request, request.answer.bind(request));
      }),
      choice(' fails', 'failures', () => {
        request.fail(new Error('connection reset'));
      }),
      choice(' loses its answer', 'lostAnswers', () => {
        run(request, () => {
          request.fail(new Error('connection reset'));
        });
      }),
      choice(' is answered late', 'lateAnswers', () => {
        run(request, (value) => {
          const act = () => {
            request.answer(value);
          };
          this.offer({ id: `${request.id}: late answer`, touches: [client], act });
        });
      }),
    ];
  }

  private publish(key: string): number {
    const listening = [...this.engines.values()].filter((engine) => engine.isListening(key));
    for (const engine of listening) {
      const act = () => {
        engine.wake(key);
      };
      this.offer({ id: `${engine.client} is told that ${key} is free`, touches: [engine.client], act });
    }
    return listening.length;
  }
}

function run(request: Request, answered: (value: unknown) => void): void {
  try {
    answered(request.execute());
  } catch (error) {
    request.fail(error as Error);
  }
}

/** What an `acquire` may take at most. */
export function longestAcquire(waitMs: number): number {
  return waitMs + COMMAND_TIMEOUT_MS;
}
