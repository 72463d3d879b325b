import underPressure from '@fastify/under-pressure';
import { type FastifyInstance, type FastifyReply } from 'fastify';
import { type Connections } from './connections.js';
import { isProbe } from './probes.js';
import { problemOf, sendProblem } from './problem.js';

/** The route that @fastify/static adds for the page. No other route has a wildcard at its root. */
const PAGE_FILES = '/*';

/**
 * Refuses requests while the event loop is too far behind to answer them in time. Health probes are not refused. Nor are
 * the files of the page, which cost little: a browser does not retry, and the page stays blank if one of them is missing.
 */
export async function refuseWhenOverloaded(
  server: FastifyInstance,
  maxEventLoopDelay: number,
): Promise<void> {
  // The plugin only measures: its own handler could send an answer, but would not stop the request from being executed.
  await server.register(underPressure, { maxEventLoopDelay, pressureHandler: () => undefined });
  server.addHook('onRequest', (request, reply, done) => {
    if (!server.isUnderPressure() || isProbe(request.url) || request.routeOptions.url === PAGE_FILES) {
      done();
      return;
    }
    refuse(
      reply,
      `This instance is overloaded: its event loop is more than ${maxEventLoopDelay} ms behind. Nothing was sold. Retry after 1 s.`,
    );
  });
}

/** Refuses requests on surplus connections, with an answer that says that nothing was sold. */
export function refuseSurplus(server: FastifyInstance, connections: Connections): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!connections.isSurplus(request.raw.socket)) {
      done();
      return;
    }
    void reply.header('connection', 'close');
    refuse(reply, 'Too many clients are connected to this instance. Nothing was sold. Retry after 1 s.');
  });
}

function refuse(reply: FastifyReply, detail: string): void {
  const problem = problemOf('busy', detail);
  if (problem) sendProblem(reply, ...problem);
}
