import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { type CommandDetails, type ObservedServer } from './checkpoint.js';
import { callerOfCommand } from './command-source.js';
import {
  type HeldCommand,
  type Instruction,
  type Message,
  WITH_ANSWER,
  WITH_SOURCE,
} from './checkpoint-protocol.js';
import { loseNextAnswer } from './lost-answer.js';
import { shown, shownError } from './shown-value.js';
import { VirtualTime } from './virtual-time.js';

interface HeldRequest {
  readonly name: string;
  readonly withSource: boolean;
  readonly withAnswer: boolean;
  held: number;
  inFlight: number;
  ended: boolean;
}

type Command = CommandDetails & { readonly server: ObservedServer; readonly text: string };
type Go = Extract<Instruction, { do: 'go' }>;

/** Turns of the event loop after which a request that has an answer has continued. */
const TURNS = 3;

/**
 * The requests of the explorer. Each is held before every command that it sends, and its timers do not run: whether a
 * pause has ended is also a step that the explorer takes.
 */
export class HeldRequests {
  private readonly current = new AsyncLocalStorage<HeldRequest>();
  private readonly requests = new Map<object, HeldRequest>();
  private readonly waiting = new Map<number, (how: Go) => void>();
  private readonly time = new VirtualTime<HeldRequest>(() => this.active);
  private commands = 0;

  constructor(
    private readonly send: (message: Message) => void,
    /** Resolves when the instance has read everything that the servers have sent so far. */
    private readonly caughtUp: () => Promise<void>,
  ) {}

  /** False in other requests, and once the request was answered: what it still does in the background is not held. */
  get isCurrent(): boolean {
    return this.active !== undefined;
  }

  begin(name: string, steps: string, key: object, work: () => void): void {
    this.time.install();
    const withSource = steps.includes(WITH_SOURCE);
    const withAnswer = steps.includes(WITH_ANSWER);
    const request = { name, withSource, withAnswer, held: 0, inFlight: 0, ended: false };
    this.requests.set(key, request);
    this.send({ type: 'begun', buyer: name });
    this.current.run(request, work);
  }

  /** The answer is about to be sent. False when it must be lost. */
  async end(key: object, status: number): Promise<boolean> {
    const request = this.requests.get(key);
    if (!request) return true;
    const go = request.withAnswer
      ? await this.hold(request, { server: 'client', text: `answer ${status}` })
      : undefined;
    request.ended = true;
    if (go) {
      request.inFlight -= 1;
      this.send({ type: 'returned', id: go.id, buyer: request.name, ...(go.lose && { error: 'lost' }) });
    }
    return go?.lose !== true;
  }

  exit<T>(work: () => T): T {
    return this.current.exit(work);
  }

  /** Holds the request until the lab says `go`, and reports what the command returned. */
  async command<T>(command: Command, work: () => Promise<T>): Promise<T> {
    const request = this.active;
    if (!request) return work();
    const source = request.withSource ? callerOfCommand(new Error().stack) : undefined;
    const { over, connection: number, ...facts } = command;
    const connection = typeof number === 'function' ? await number() : number;
    const go = await this.hold(request, {
      ...facts,
      ...(connection !== undefined && { connection }),
      ...(source && { source }),
    });
    const { id } = go;
    const broken = go.lose ? await over?.() : undefined;
    if (broken) loseNextAnswer(broken.stream);
    try {
      const value = await work();
      this.send({ type: 'returned', id, buyer: request.name, value: shown(command.text, value) });
      return value;
    } catch (error) {
      this.send({ type: 'returned', id, buyer: request.name, error: shownError(error) });
      throw error;
    } finally {
      request.inFlight -= 1;
    }
  }

  private async hold(request: HeldRequest, command: Omit<HeldCommand, 'type' | 'id' | 'buyer'>): Promise<Go> {
    const id = (this.commands += 1);
    request.held += 1;
    this.send({ type: 'command', id, buyer: request.name, ...command });
    const go = await new Promise<Go>((resolve) => this.waiting.set(id, resolve));
    request.held -= 1;
    request.inFlight += 1;
    return go;
  }

  /** False when the instruction is not about held requests. */
  follow(instruction: Instruction): boolean {
    const { id } = instruction;
    switch (instruction.do) {
      case 'settle':
        void this.settle(id);
        return true;
      case 'elapse':
        for (const request of this.requests.values())
          if (request.name === instruction.buyer) this.time.elapse(request);
        return true;
      case 'later':
        this.time.jump(instruction.ms);
        return true;
      case 'go': {
        const go = this.waiting.get(id);
        if (!go) return false;
        this.waiting.delete(id);
        // The process was paused before it sent the command: the clock has moved on, and its timers fire afterwards.
        if (instruction.laterMs !== undefined) this.time.jump(instruction.laterMs);
        go(instruction);
        return true;
      }
      default:
        return false;
    }
  }

  /** Without a lab every held request continues. */
  releaseAll(): void {
    for (const [id, go] of this.waiting) go({ id, do: 'go' });
    this.waiting.clear();
  }

  private get active(): HeldRequest | undefined {
    const request = this.current.getStore();
    return request?.ended === false ? request : undefined;
  }

  private async settle(id: number): Promise<void> {
    // A connection delivers in order: when these answers are here, so is every message that was sent before.
    await this.caughtUp();
    for (let turns = 0; turns < TURNS; turns += 1) await turn();
    const requests = [...this.requests.values()].map((request) => {
      const timerMs = this.time.next(request);
      const { name: buyer, held, inFlight, ended } = request;
      return { buyer, held, inFlight, ended, ...(timerMs !== undefined && { timerMs }) };
    });
    for (const [key, { ended }] of this.requests) if (ended) this.requests.delete(key);
    this.send({ type: 'settled', id, buyer: '', requests });
  }
}
