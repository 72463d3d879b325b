import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type FastifyInstance } from 'fastify';
import { type CheckpointName, type Observer, type Server } from './checkpoint.js';
import { BUYER_HEADER, type Instruction, type Message } from './director-protocol.js';

/** How long a buyer must have nothing under way before it counts as waiting. */
const SILENCE_MS = 60;
const LONGEST_BLOCK_MS = 20_000;

interface Buyer {
  readonly name: string;
  /** Checkpoints and queries that have begun and not ended. */
  underWay: number;
  silence: NodeJS.Timeout | undefined;
}

/**
 * The instance's line to the experiment that started it. At each checkpoint it reports its buyer and does what it is
 * told: go on, stop, die, or block its event loop. Requests without a buyer's name pass unseen.
 */
export class DirectorLink implements Observer {
  private readonly buyer = new AsyncLocalStorage<Buyer>();
  private readonly waiting = new Map<number, (instruction: Instruction) => void>();
  private arrivals = 0;

  private constructor(private readonly socket: Socket) {
    createInterface({ input: socket }).on('line', (line) => {
      const instruction = JSON.parse(line) as Instruction;
      this.waiting.get(instruction.id)?.(instruction);
      this.waiting.delete(instruction.id);
    });
    // Without a director there is nobody to wait for.
    socket
      .on('error', () => undefined)
      .on('close', () => {
        for (const [id, go] of this.waiting) go({ id, do: 'go' });
      });
    socket.setNoDelay(true).unref();
  }

  static async to(address: string): Promise<DirectorLink> {
    const [host = '', port] = address.split(':');
    const socket = connect(Number(port), host);
    await once(socket, 'connect');
    return new DirectorLink(socket);
  }

  /** After the body was read, because the context does not survive the reading. */
  watch(server: FastifyInstance): void {
    server.addHook('preValidation', (request, _reply, done) => {
      const name = request.headers[BUYER_HEADER];
      if (typeof name !== 'string') done();
      else this.buyer.run({ name, underWay: 0, silence: undefined }, done);
    });
  }

  async arrive(name: CheckpointName): Promise<void> {
    const buyer = this.buyer.getStore();
    if (!buyer) return;
    const id = (this.arrivals += 1);
    const source = callerOf(new Error().stack);
    await this.underWay(buyer, async () => {
      const told = new Promise<Instruction>((resolve) => this.waiting.set(id, resolve));
      this.send({ type: 'checkpoint', id, buyer: buyer.name, name, ...(source && { source }) });
      obey(await told);
    });
  }

  async query<T>(server: Server, text: string, send: () => Promise<T>): Promise<T> {
    const buyer = this.buyer.getStore();
    if (!buyer) return send();
    return this.underWay(buyer, () => {
      this.send({ type: 'query', buyer: buyer.name, server, text });
      return send();
    });
  }

  private async underWay<T>(buyer: Buyer, work: () => Promise<T>): Promise<T> {
    buyer.underWay += 1;
    clearTimeout(buyer.silence);
    try {
      return await work();
    } finally {
      buyer.underWay -= 1;
      if (buyer.underWay === 0) this.listenForSilence(buyer);
    }
  }

  /** Nothing under way and yet no answer: the buyer waits for a lock, a turn or a timer. */
  private listenForSilence(buyer: Buyer): void {
    clearTimeout(buyer.silence);
    buyer.silence = setTimeout(() => {
      // Answers that have arrived but were not read yet come first.
      setImmediate(() => {
        if (buyer.underWay === 0) this.send({ type: 'silence', buyer: buyer.name });
      });
    }, SILENCE_MS);
    buyer.silence.unref();
  }

  private send(message: Message): void {
    this.socket.write(`${JSON.stringify(message)}\n`);
  }
}

function obey(instruction: Instruction): void {
  switch (instruction.do) {
    case 'go':
      return;
    case 'stop':
      // Everything of this process stops here: timers, sockets, the watchdog. SIGCONT goes on with the next line.
      process.kill(process.pid, 'SIGSTOP');
      return;
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return;
    case 'block': {
      const giveUpAt = performance.now() + LONGEST_BLOCK_MS;
      const nap = new Int32Array(new SharedArrayBuffer(4));
      while (existsSync(instruction.whileFile) && performance.now() < giveUpAt) Atomics.wait(nap, 0, 0, 5);
    }
  }
}

/** Where in the source the checkpoint stands; instances of experiments run with source maps. */
export function callerOf(stack = ''): { file: string; line: number } | undefined {
  const lines = stack.split('\n').filter((line) => !/\/src\/checkpoints\//.test(line));
  // From the last such folder on: the project may itself lie in one of that name.
  const place = /.*\/((?:src|migrations)\/[^\s():]+\.ts):(\d+)/.exec(lines[1] ?? '');
  return place ? { file: place[1] ?? '', line: Number(place[2]) } : undefined;
}
