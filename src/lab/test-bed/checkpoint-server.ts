import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type Instruction, type Message } from '../../checkpoints/checkpoint-protocol.js';

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
export type CheckpointAction = WithoutId<Instruction>;
export type Arrival = Extract<Message, { type: 'checkpoint' }>;
export type ObservedQuery = Extract<Message, { type: 'query' }>;

/** What the checkpoint server reports about a buyer's request. */
export interface ObservedBuyer {
  /** The request waits at the checkpoint until `answer` is called. */
  arrived(arrival: Arrival, answer: (action: CheckpointAction) => void): void;
  queried(query: ObservedQuery): void;
  becameIdle(): void;
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
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as Message;
      const buyer = this.buyers.get(message.buyer);
      if (message.type === 'query') buyer?.queried(message);
      else if (message.type === 'idle') buyer?.becameIdle();
      else {
        const answer = (action: CheckpointAction) => {
          if (socket.writable) socket.write(`${JSON.stringify({ ...action, id: message.id })}\n`);
        };
        if (buyer) buyer.arrived(message, answer);
        else answer({ do: 'go' });
      }
    });
  }
}
