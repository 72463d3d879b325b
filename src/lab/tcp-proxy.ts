import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What happens to the bytes of one direction: they pass, are held, dropped or delayed. */
export type Flow = 'pass' | 'hold' | 'drop' | { readonly delayMs: number };

/** What happens to both directions. With `containing`, only chunks that contain this text are affected. */
export interface Flows {
  readonly requests?: Flow;
  readonly answers?: Flow;
  readonly containing?: string;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

/** A proxy between a client and a server on loopback that can hold, drop, delay or reset their connections. */
export class TcpProxy {
  private readonly links = new Set<Link>();
  private requests: Flow = 'pass';
  private answers: Flow = 'pass';
  private containing = '';
  private held: (() => void)[] = [];
  /** By receiver, the last chunk that is still delayed; later chunks must not overtake it. */
  private readonly onTheirWay = new Map<Socket, Promise<unknown>>();
  /** How many chunks were held, dropped or delayed since `set`: the proof that the fault has fired. */
  intercepted = 0;

  private constructor(
    private readonly listener: Server,
    private target: number,
  ) {}

  /** On a free port, unless `at` names one. */
  static async to(target: number, at = 0): Promise<TcpProxy> {
    const listener = createServer();
    const proxy = new TcpProxy(listener, target);
    listener.on('connection', (client) => {
      proxy.link(client);
    });
    listener.listen(at, '127.0.0.1');
    await once(listener, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.links.size;
  }

  /** Resolves when all delayed chunks have arrived. */
  async quiet(): Promise<void> {
    await Promise.all(this.onTheirWay.values());
  }

  /** Changes the flows. A direction that is not named stays as it is; `pass` also releases held chunks. */
  set(flows: Flows): void {
    this.requests = flows.requests ?? this.requests;
    this.answers = flows.answers ?? this.answers;
    this.containing = flows.containing ?? '';
    this.intercepted = 0;
    if (this.requests !== 'hold' && this.answers !== 'hold') for (const send of this.held.splice(0)) send();
  }

  /** New connections go to another server from now on. */
  leadTo(target: number): void {
    this.target = target;
  }

  /** Breaks every connection, as a crashed switch would. */
  reset(): void {
    for (const { client, server } of this.links) {
      // A connection that is closing is not reset: Node would wait for the end of the closing for ever when it exits.
      if (client.readableEnded || client.writableEnded) client.destroy();
      else client.resetAndDestroy();
      server.destroy();
    }
  }

  async close(): Promise<void> {
    for (const { client, server } of this.links) {
      client.destroy();
      server.destroy();
    }
    this.listener.close();
    await once(this.listener, 'close');
  }

  private link(client: Socket): void {
    const server = connect(this.target, '127.0.0.1');
    const link = { client, server };
    this.links.add(link);
    const end = () => {
      this.links.delete(link);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('close', end).on('error', end).setNoDelay(true);
    client.on('data', (bytes) => {
      this.forward(bytes, server, this.requests);
    });
    server.on('data', (bytes) => {
      this.forward(bytes, client, this.answers);
    });
  }

  private forward(bytes: Buffer, to: Socket, flow: Flow): void {
    if (flow === 'pass' || !bytes.includes(this.containing)) {
      this.deliver(bytes, to, 0);
      return;
    }
    this.intercepted += 1;
    if (flow === 'hold') this.held.push(() => to.write(bytes));
    else if (flow !== 'drop') this.deliver(bytes, to, flow.delayMs);
  }

  private deliver(bytes: Buffer, to: Socket, delayMs: number): void {
    const before = this.onTheirWay.get(to);
    if (before === undefined && delayMs === 0) {
      to.write(bytes);
      return;
    }
    const arrival = Promise.all([before, sleep(delayMs, undefined, { ref: false })]).then(() => {
      if (to.writable) to.write(bytes);
      if (this.onTheirWay.get(to) === arrival) this.onTheirWay.delete(to);
    });
    this.onTheirWay.set(to, arrival);
  }
}
