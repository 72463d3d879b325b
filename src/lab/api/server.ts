import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { answerClientError } from '../../http/client-errors.js';
import { type Report } from '../processes/supervisor.js';
import { clientOf, Door } from './door.js';
import { sendEvents } from './event-stream.js';
import { invalid, Refusal } from './refusal.js';
import { type Route, Router } from './route.js';
import { Streams } from './streams.js';

export interface LabServerOptions {
  readonly port: number;
  readonly adminToken: string;
  readonly routes: readonly Route[];
  readonly report: Report;
}

const REQUEST_WITHIN_MS = 10_000;

/** The lab's own API, on loopback; the gateway shows it under /lab. */
export class LabServer {
  private readonly server: Server;
  private readonly door: Door;
  private readonly router: Router;
  private readonly streams = new Streams();

  private constructor(private readonly options: LabServerOptions) {
    this.door = new Door(options.adminToken);
    this.router = new Router(options.routes);
    this.server = createServer({ requestTimeout: REQUEST_WITHIN_MS }, (request, response) => {
      void this.answer(request, response);
    });
    this.server.on('clientError', answerClientError);
  }

  static async start(options: LabServerOptions): Promise<LabServer> {
    const lab = new LabServer(options);
    lab.server.listen(options.port, '127.0.0.1');
    await once(lab.server, 'listening');
    return lab;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Ends the streams, too: the gateway would wait for them. */
  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.respond(request, response);
    } catch (error) {
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const refusal = error instanceof Refusal ? error : this.unexpected(error);
      // The rest of a body that was not read would be taken for the next request.
      const connection = request.complete ? {} : { connection: 'close' };
      response.writeHead(refusal.status, {
        'content-type': 'application/problem+json; charset=utf-8',
        ...connection,
        ...refusal.headers,
      });
      response.end(JSON.stringify(refusal.problem));
    }
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.door.refuseStrangers(request);
    const { method = '', url = '' } = request;
    const found = this.router.find(method, pathOf(url));
    if (!found.route) {
      throw found.allowed.length > 0
        ? new Refusal(
            405,
            'invalid-request',
            `Use ${found.allowed.join(' or ')}.`,
            {},
            { allow: found.allowed.join(', ') },
          )
        : new Refusal(404, 'about:blank', 'There is nothing under this address.');
    }
    const body = method === 'POST' ? await this.door.admit(request) : {};
    const answer = await found.route.handle({ params: found.params, body });
    if ('events' in answer) {
      this.streams.add(clientOf(request), response);
      sendEvents(request, response, answer.events);
      return;
    }
    response.writeHead(answer.status, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.end(JSON.stringify(answer.json));
  }

  private unexpected(error: unknown): Refusal {
    this.options.report(
      `the lab's API: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return new Refusal(500, 'about:blank', 'The lab could not answer; its terminal says why.');
  }
}

function pathOf(url: string): string {
  if (!URL.canParse(url, 'http://lab')) throw invalid('The URL is not valid.');
  return new URL(url, 'http://lab').pathname;
}
