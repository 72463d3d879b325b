import { type ServerResponse } from 'node:http';

/** More than a browser opens: it has at most six connections to one server. */
const PER_CLIENT = 20;
const IN_ALL = 100;

/**
 * The open event streams. A new stream is always accepted: above a limit, the oldest stream of the same client is closed,
 * or the oldest of all. So a client with many streams does not keep other clients from opening one.
 */
export class Streams {
  /** In the order in which they were opened. */
  private readonly open = new Map<ServerResponse, string>();

  add(client: string, response: ServerResponse): void {
    const own = [...this.open].filter(([, of]) => of === client).map(([stream]) => stream);
    if (own.length >= PER_CLIENT) this.end(own[0], `this client has ${PER_CLIENT} streams already`);
    else if (this.open.size >= IN_ALL) this.end([...this.open.keys()][0], `${IN_ALL} streams are open`);
    this.open.set(response, client);
    response.once('close', () => this.open.delete(response));
  }

  private end(stream: ServerResponse | undefined, why: string): void {
    if (!stream) return;
    this.open.delete(stream);
    stream.end(`event: closed\ndata: ${JSON.stringify(`The oldest stream ends: ${why}.`)}\n\n`);
  }
}
