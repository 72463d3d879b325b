import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Work of different lengths, as a database does it. */
const work = () => sleep(1 + Math.random() * 8);

/** A small shop that a probe is pointed at. Each kind makes one mistake, or none. */
export abstract class PlantedShop {
  stock = 0;
  orders = 0;
  readonly asked: string[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      this.asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
      // A client that hangs up is no error of the shop.
      this.route(request, response).catch(() => undefined);
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** The number of the order; undefined when it is sold out. */
  protected abstract sell(): Promise<number | undefined>;

  protected get shownStock(): number {
    return this.stock;
  }

  protected async route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, content] = await this.answerTo(request.url ?? '', await read(request));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  }

  private async answerTo(path: string, body: string): Promise<[status: number, content: object]> {
    if (path === '/stock') return [200, { left: this.shownStock }];
    if (path === '/reset') {
      this.stock = (JSON.parse(body) as { stock: number }).stock;
      return [200, {}];
    }
    const order = await this.sell();
    return order === undefined ? [409, { error: 'sold out' }] : [201, { order: { id: order } }];
  }

  protected next(): number {
    return (this.orders += 1);
  }
}

async function read(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** Check and deduction are one step. */
export class CorrectShop extends PlantedShop {
  protected async sell(): Promise<number | undefined> {
    await work();
    if (this.stock === 0) return undefined;
    this.stock -= 1;
    const order = this.next();
    await work();
    return order;
  }
}

/** Reads, works, and deducts what it read long ago. */
export class OversellingShop extends PlantedShop {
  protected async sell(): Promise<number | undefined> {
    const before = this.stock;
    await work();
    if (before === 0) return undefined;
    this.stock = before - 1;
    return this.next();
  }
}

/** Executes one request at a time. The others, also those for the stock, wait in its queue. */
export class SerialShop extends CorrectShop {
  private queue: Promise<void> = Promise.resolve();

  protected override route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const turn = this.queue.then(async () => {
      await super.route(request, response);
      await sleep(3);
    });
    this.queue = turn;
    return turn;
  }
}

/** Always shows the same stock. */
export class LyingShop extends CorrectShop {
  protected override get shownStock(): number {
    return 1000;
  }
}

/** Sells correctly and loses a unit at every sale. */
export class LeakingShop extends CorrectShop {
  protected override async sell(): Promise<number | undefined> {
    const order = await super.sell();
    if (order !== undefined && this.stock > 0) this.stock -= 1;
    return order;
  }
}

/** Gives all buyers of a moment the same receipt. */
export class RepeatingShop extends CorrectShop {
  protected override next(): number {
    return 7;
  }
}

/** Never answers a purchase. */
export class HangingShop extends CorrectShop {
  protected override sell(): Promise<number | undefined> {
    return new Promise(() => undefined);
  }
}

/** Answers purchases with this. */
export class AnsweringShop extends CorrectShop {
  constructor(
    private readonly status: number,
    private readonly body: string,
    private readonly headers: Readonly<Record<string, string>> = {},
    private readonly at = '/buy',
  ) {
    super();
  }

  protected override route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== this.at) return super.route(request, response);
    response.writeHead(this.status, this.headers).end(this.body);
    return Promise.resolve();
  }
}
