import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { type LoggerService } from '@nestjs/common';
import { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { isProbe } from './probes.js';

/** The levels of LOG_LEVEL at which a request is a line. */
const LOGS_REQUESTS: ReadonlySet<string> = new Set(['info', 'debug']);
const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The id that nginx or the client gave the request, if it is harmless to print, else a new one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** One line per request, when it was answered; the answer names the instance and the request id. */
export function logRequests(server: FastifyInstance, instance: string): void {
  // Hooks with a callback: each promise of a hook costs every request a turn of the microtask queue.
  server.addHook('onSend', (request, reply, _payload, done) => {
    void reply.header('x-request-id', request.id).header('x-instance', instance);
    done();
  });
  if (!LOGS_REQUESTS.has(server.log.level)) return;
  server.addHook('onResponse', (request, reply, done) => {
    done();
    if (isProbe(request.url)) return;
    server.log.info({
      reqId: request.id,
      method: request.method,
      // Without the query: it can carry an order's secret.
      path: request.url.split('?', 1)[0],
      client: request.ip,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    });
  });
}

/** Nest's own messages as lines of the same log. */
export class PinoLogger implements LoggerService {
  constructor(private readonly pino: FastifyBaseLogger) {}

  log(message: string, context?: string): void {
    this.pino.info({ context }, message);
  }
  error(message: string, ...rest: string[]): void {
    this.pino.error({ context: rest.at(-1) }, message);
  }
  warn(message: string, context?: string): void {
    this.pino.warn({ context }, message);
  }
  debug(message: string, context?: string): void {
    this.pino.debug({ context }, message);
  }
}
