import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type FastifyInstance } from 'fastify';
import {
  type CheckpointName,
  type CommandDetails,
  type Observer,
  type ObservedServer,
} from './checkpoint.js';
import {
  BUYER_HEADER,
  type CheckpointSource,
  type Instruction,
  type Message,
  STEPS_HEADER,
} from './checkpoint-protocol.js';
import { callerOfCommand } from './command-source.js';
import { HeldRequests } from './held-requests.js';
import { shown, shownError } from './shown-value.js';

/** A request without a command in flight for this time counts as waiting. */
const IDLE_MS = 60;
const LONGEST_BLOCK_MS = 20_000;

interface Buyer {
  readonly name: string;
  /** Checkpoints and commands that have begun and not ended. */
  inFlight: number;
  idleTimer: NodeJS.Timeout | undefined;
}

/**
 * Connects an instance to the checkpoint server of the experiment. It reports every checkpoint and does what the reply
 * says: continue, stop the process, kill it, or block the event loop. Requests without a buyer's name are not reported.
 */
export class CheckpointClient implements Observer {
  private readonly buyer = new AsyncLocalStorage<Buyer>();
  private readonly stepped: HeldRequests;
  private readonly waiting = new Map<number, (instruction: Instruction) => void>();
  private arrivals = 0;
  private commands = 0;

  private constructor(
    private readonly socket: Socket,
    caughtUp: () => Promise<void>,
  ) {
    this.stepped = new HeldRequests((message) => {
      this.send(message);
    }, caughtUp);
    createInterface({ input: socket }).on('line', (line) => {
      const instruction = JSON.parse(line) as Instruction;
      if (this.stepped.follow(instruction)) return;
      this.waiting.get(instruction.id)?.(instruction);
      this.waiting.delete(instruction.id);
    });
    // Without a checkpoint server every held request continues.
    socket
      .on('error', () => undefined)
      .on('close', () => {
        for (const [id, go] of this.waiting) go({ id, do: 'go' });
        this.stepped.releaseAll();
      });
    socket.setNoDelay(true).unref();
  }

  /** `caughtUp` resolves when the instance has read everything that the servers have sent so far. */
  static async to(address: string, caughtUp: () => Promise<void>): Promise<CheckpointClient> {
    const [host = '', port] = address.split(':');
    const socket = connect(Number(port), host);
    await once(socket, 'connect');
    return new CheckpointClient(socket, caughtUp);
  }

  /** The hook runs after the body was read: the async context does not survive reading it. */
  watch(server: FastifyInstance): void {
    server.addHook('preValidation', (request, _reply, done) => {
      const name = request.headers[BUYER_HEADER];
      const steps = request.headers[STEPS_HEADER];
      if (typeof name !== 'string') done();
      else if (typeof steps === 'string') this.stepped.begin(name, steps, request, done);
      else this.buyer.run({ name, inFlight: 0, idleTimer: undefined }, done);
    });
    server.addHook('onSend', async (request, reply, payload: unknown) => {
      if (!(await this.stepped.end(request, reply.statusCode))) request.raw.socket.destroy();
      return payload;
    });
  }

  async arrive(name: CheckpointName): Promise<void> {
    const buyer = this.buyer.getStore();
    if (!buyer) return;
    const id = (this.arrivals += 1);
    const source = callerOf(new Error().stack);
    await this.track(buyer, async () => {
      const told = new Promise<Instruction>((resolve) => this.waiting.set(id, resolve));
      this.send({ type: 'checkpoint', id, buyer: buyer.name, name, ...(source && { source }) });
      act(await told);
    });
  }

  async query<T>(
    server: ObservedServer,
    text: string,
    send: () => Promise<T>,
    details: CommandDetails = {},
  ): Promise<T> {
    if (this.stepped.isCurrent) return this.stepped.command({ server, text, ...details }, send);
    const buyer = this.buyer.getStore();
    // The answer to a request is a step of its own.
    if (!buyer || server === 'client') return send();
    return this.track(buyer, () => this.report(buyer.name, { server, text, ...details }, send));
  }

  /** Says what the request sends, from which line, and what it is answered. */
  private async report<T>(
    buyer: string,
    { values, ...command }: CommandDetails & { readonly server: ObservedServer; readonly text: string },
    send: () => Promise<T>,
  ): Promise<T> {
    const id = (this.commands += 1);
    const source = callerOfCommand(deepStack());
    const carried = values && { values: values.map((value) => shown(command.text, value)) };
    this.send({ type: 'query', id, buyer, ...command, ...carried, ...(source && { source }) });
    try {
      const value = await send();
      this.send({ type: 'returned', id, buyer, value: shown(command.text, value) });
      return value;
    } catch (error) {
      this.send({ type: 'returned', id, buyer, error: shownError(error) });
      throw error;
    }
  }

  holdsCommands(): boolean {
    return this.stepped.isCurrent;
  }

  unobserved<T>(work: () => T): T {
    return this.stepped.exit(() => this.buyer.exit(work));
  }

  private async track<T>(buyer: Buyer, work: () => Promise<T>): Promise<T> {
    buyer.inFlight += 1;
    clearTimeout(buyer.idleTimer);
    try {
      return await work();
    } finally {
      buyer.inFlight -= 1;
      if (buyer.inFlight === 0) this.startIdleTimer(buyer);
    }
  }

  /** No command in flight and no answer: the request waits for a lock, a turn or a timer. */
  private startIdleTimer(buyer: Buyer): void {
    clearTimeout(buyer.idleTimer);
    buyer.idleTimer = setTimeout(() => {
      // Let replies that have arrived be read first.
      setImmediate(() => {
        if (buyer.inFlight === 0) this.send({ type: 'idle', buyer: buyer.name });
      });
    }, IDLE_MS);
    buyer.idleTimer.unref();
  }

  private send(message: Message): void {
    this.socket.write(`${JSON.stringify(message)}\n`);
  }
}

/** The strategy is further down than the frames that an error has by default: below it are the lock and its client. */
const FRAMES = 50;

function deepStack(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

function act(instruction: Instruction): void {
  switch (instruction.do) {
    case 'go':
      return;
    case 'stop':
      // The whole process stops here: timers, sockets, the watchdog. After SIGCONT it continues with the next line.
      process.kill(process.pid, 'SIGSTOP');
      return;
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return;
    case 'block': {
      const deadline = performance.now() + LONGEST_BLOCK_MS;
      const sleeper = new Int32Array(new SharedArrayBuffer(4));
      while (existsSync(instruction.whileFile) && performance.now() < deadline)
        Atomics.wait(sleeper, 0, 0, 5);
    }
  }
}

/** The source position of the checkpoint; instances of experiments run with source maps. */
export function callerOf(stack = ''): CheckpointSource | undefined {
  const lines = stack.split('\n').filter((line) => !/\/src\/checkpoints\//.test(line));
  // The last match: a parent folder of the project may have the same name.
  const place = /.*\/((?:src|migrations)\/[^\s():]+\.ts):(\d+)/.exec(lines[1] ?? '');
  if (!place) return undefined;
  const symbol = /at (?:async )?([\w$.]+) \(/.exec(lines[1] ?? '')?.[1];
  return { file: place[1] ?? '', line: Number(place[2]), ...(symbol !== undefined && { symbol }) };
}
