import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import {
  type HeldCommand,
  type Instruction,
  type Message,
  type RequestState,
  type Returned,
  type SentCommand,
} from '../../checkpoints/checkpoint-protocol.js';

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
export type CheckpointAction = WithoutId<Instruction>;
export type Arrival = Extract<Message, { type: 'checkpoint' }>;

/** What the checkpoint server reports about a buyer's request. */
export interface ObservedBuyer {
  /** The request waits at the checkpoint until `answer` is called. */
  arrived(arrival: Arrival, answer: (action: CheckpointAction) => void): void;
  queried(command: SentCommand): void;
  becameIdle(): void;
  /** The request has arrived at an instance. Only for requests of the explorer. */
  begun?(at: InstanceLink): void;
  /** The request waits before this command until `go` is called. */
  commanded?(command: HeldCommand, go: Go): void;
  returned?(returned: Returned): void;
}

/** `laterMs`: the process was paused for this long before it sends the command. `lose`: its answer is lost. */
export type Go = (how?: { readonly laterMs?: number | undefined; readonly lose?: boolean }) => void;

/** The connection of one instance. */
export class InstanceLink {
  private questions = 0;
  private readonly settling = new Map<number, (requests: readonly RequestState[]) => void>();

  constructor(private readonly socket: Socket) {
    socket.on('close', () => {
      for (const settled of this.settling.values()) settled([]);
    });
  }

  /** What the held requests do, once the instance has read everything that the servers have sent so far. */
  settle(): Promise<readonly RequestState[]> {
    const id = (this.questions += 1);
    const settled = new Promise<readonly RequestState[]>((resolve) => this.settling.set(id, resolve));
    this.send({ id, do: 'settle' });
    return settled;
  }

  settled(id: number, requests: readonly RequestState[]): void {
    this.settling.get(id)?.(requests);
    this.settling.delete(id);
  }

  /** Fires the next timer of a held request. */
  elapse(buyer: string): void {
    this.send({ id: 0, do: 'elapse', buyer });
  }

  /** Time passes for the whole instance at once. */
  later(ms: number): void {
    this.send({ id: 0, do: 'later', ms });
  }

  send(instruction: Instruction): void {
    if (this.socket.writable) this.socket.write(`${JSON.stringify(instruction)}\n`);
  }
}

/** Receives the messages of all instances and passes each one on to the buyer it is about. */
export class CheckpointServer {
  private readonly buyers = new Map<string, ObservedBuyer>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<CheckpointServer> {
    const server = createServer();
    const checkpointServer = new CheckpointServer(server);
    server.on('connection', (socket) => {
      checkpointServer.listen(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return checkpointServer;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  observe(id: string, buyer: ObservedBuyer): void {
    this.buyers.set(id, buyer);
  }

  /** Late messages about buyers of an earlier experiment are ignored from now on. */
  forgetBuyers(): void {
    this.buyers.clear();
  }

  async close(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }

  private listen(socket: Socket): void {
    socket.setNoDelay(true).on('error', () => undefined);
    const link = new InstanceLink(socket);
    createInterface({ input: socket }).on('line', (line) => {
      this.receive(JSON.parse(line) as Message, link);
    });
  }

  private receive(message: Message, link: InstanceLink): void {
    const buyer = this.buyers.get(message.buyer);
    switch (message.type) {
      case 'query':
        buyer?.queried(message);
        return;
      case 'idle':
        buyer?.becameIdle();
        return;
      case 'returned':
        buyer?.returned?.(message);
        return;
      case 'begun':
        buyer?.begun?.(link);
        return;
      case 'settled':
        link.settled(message.id, message.requests);
        return;
      case 'command': {
        const go: Go = ({ laterMs, lose = false } = {}) => {
          link.send({
            id: message.id,
            do: 'go',
            ...(laterMs !== undefined && { laterMs }),
            ...(lose && { lose }),
          });
        };
        if (buyer?.commanded) buyer.commanded(message, go);
        else go();
        return;
      }
      case 'checkpoint': {
        const answer = (action: CheckpointAction) => {
          link.send({ ...action, id: message.id });
        };
        if (buyer) buyer.arrived(message, answer);
        else answer({ do: 'go' });
      }
    }
  }
}
