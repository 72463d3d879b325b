import { type AddressInfo } from 'node:net';
import {
  fastify,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { AllowedMethods } from '../../http/allowed-methods.js';
import { answerClientError } from '../../http/client-errors.js';
import { type Report } from '../processes/supervisor.js';
import { clientOf, Access } from './access.js';
import { sendEvents } from './event-stream.js';
import { invalid, Refusal } from './refusal.js';
import { type Route } from './route.js';
import { Streams } from './streams.js';

export interface LabServerOptions {
  readonly port: number;
  readonly adminToken: string;
  readonly routes: readonly Route[];
  readonly report: Report;
}

const REQUEST_WITHIN_MS = 10_000;
const BODY_LIMIT = 16 * 1024;
/** Letters, digits, dashes, underscores, and dots inside. */
const PARAMETER = '(^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,79}$)';

/** The lab's own API, on loopback; the gateway forwards /lab to it. */
export class LabServer {
  private readonly server: FastifyInstance;
  private readonly access: Access;
  private readonly methods = new AllowedMethods();
  private readonly streams = new Streams();

  private constructor(private readonly options: LabServerOptions) {
    this.access = new Access(options.adminToken);
    this.server = fastify({
      requestTimeout: REQUEST_WITHIN_MS,
      bodyLimit: BODY_LIMIT,
      clientErrorHandler: answerClientError,
      // `Access` refuses a request without a Host.
      http: { requireHostHeader: false },
      routerOptions: { maxParamLength: 100 },
      exposeHeadRoutes: false,
      // Also ends the streams: the gateway would wait for them.
      forceCloseConnections: true,
      frameworkErrors: (_error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
        this.refuse(invalid('The URL is not valid.'), request, reply);
      },
    });
    this.methods.watch(this.server);
    this.checkRequests();
    for (const route of options.routes) this.add(route);
  }

  static async start(options: LabServerOptions): Promise<LabServer> {
    const lab = new LabServer(options);
    await lab.server.listen({ port: options.port, host: '127.0.0.1' });
    return lab;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await this.server.close();
  }

  private checkRequests(): void {
    this.server.addHook('onRequest', (request, _reply, done) => {
      this.access.refuseForeignRequest(request.raw);
      if (request.method === 'POST' && !request.is404) this.access.admit(request.raw);
      done();
    });
    this.server.removeAllContentTypeParsers();
    // `Access` has checked the content type. An empty body is read as {}.
    this.server.addContentTypeParser(
      '*',
      { parseAs: 'string' },
      (_request: FastifyRequest, text: string, done: (error: Error | null, body?: unknown) => void) => {
        const body = text === '' ? {} : jsonOf(text);
        if (body instanceof Refusal) done(body);
        else done(null, body);
      },
    );
    this.server.setNotFoundHandler(({ method, url }) => {
      throw this.notFound(method, url);
    });
    this.server.setErrorHandler((error, request, reply) => {
      this.refuse(this.refusalOf(error), request, reply);
    });
  }

  private add(route: Route): void {
    const { method, path } = route;
    const url = path.replaceAll(/:\w+/g, `$&${PARAMETER}`);
    this.server.route<{ Params: Record<string, string> }>({
      method,
      url,
      handler: async (request, reply) => {
        const answer = await route.handle({ params: request.params, body: request.body ?? {} });
        if (!('events' in answer)) {
          return reply.status(answer.status).header('cache-control', 'no-store').send(answer.json);
        }
        reply.hijack();
        this.streams.add(clientOf(request.raw), reply.raw);
        sendEvents(request.raw, reply.raw, answer.events);
        return reply;
      },
    });
  }

  private notFound(method: string, url: string): Refusal {
    if (!URL.canParse(url, 'http://lab')) return invalid('The URL is not valid.');
    const allowed = this.methods.of(url);
    if (allowed.length === 0 || allowed.includes(method))
      return new Refusal(404, 'about:blank', 'There is no such address in the API of the lab.');
    const use = `Use ${allowed.join(' or ')}.`;
    return new Refusal(405, 'invalid-request', use, {}, { allow: allowed.join(', ') });
  }

  private refusalOf(error: unknown): Refusal {
    if (error instanceof Refusal) return error;
    const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
    if (status === 413)
      return new Refusal(413, 'invalid-request', `The body is larger than ${BODY_LIMIT} bytes.`);
    if (status === 400) return invalid('The body cannot be read.');
    this.options.report(
      `the lab's API: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return new Refusal(
      500,
      'about:blank',
      'The lab could not answer. The terminal of the lab shows the reason.',
    );
  }

  private refuse({ status, headers, problem }: Refusal, { raw }: FastifyRequest, reply: FastifyReply): void {
    // The rest of a body that was not read would be mistaken for the next request.
    if (!raw.complete) void reply.header('connection', 'close');
    void reply
      .status(status)
      .headers(headers)
      .type('application/problem+json; charset=utf-8')
      .send(JSON.stringify(problem));
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return invalid('The body is not JSON.');
  }
}
