import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type Instruction, type Message } from '../../checkpoints/director-protocol.js';

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
export type Order = WithoutId<Instruction>;
export type Arrival = Extract<Message, { type: 'checkpoint' }>;
export type Query = Extract<Message, { type: 'query' }>;

/** A buyer as the director sees it. */
export interface Directed {
  /** Every arrival must be answered, sooner or later; until then the buyer stands still. */
  arrived(arrival: Arrival, answer: (order: Order) => void): void;
  queried(query: Query): void;
  fellSilent(): void;
}

/** Listens to the instances of a stage and passes on what they say to the buyers it concerns. */
export class Director {
  private readonly buyers = new Map<string, Directed>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<Director> {
    const server = createServer();
    const director = new Director(server);
    server.on('connection', (socket) => {
      director.listen(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return director;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  direct(id: string, buyer: Directed): void {
    this.buyers.set(id, buyer);
  }

  /** Buyers of an earlier experiment are nobody's business any more. */
  dismissAll(): void {
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
      else if (message.type === 'silence') buyer?.fellSilent();
      else {
        const answer = (order: Order) => {
          if (socket.writable) socket.write(`${JSON.stringify({ ...order, id: message.id })}\n`);
        };
        if (buyer) buyer.arrived(message, answer);
        else answer({ do: 'go' });
      }
    });
  }
}
