import underPressure from '@fastify/under-pressure';
import { type FastifyInstance, type FastifyReply } from 'fastify';
import { type Connections } from './connections.js';
import { isProbe } from './probes.js';
import { problemOf, sendProblem } from './problem.js';

/** Refuses requests, but not health probes, while the event loop is too far behind to answer them in time. */
export async function refuseWhenOverloaded(
  server: FastifyInstance,
  maxEventLoopDelay: number,
): Promise<void> {
  // The plugin only measures: its own handler could send an answer, but would not stop the request from being executed.
  await server.register(underPressure, { maxEventLoopDelay, pressureHandler: () => undefined });
  server.addHook('onRequest', async (request, reply) => {
    if (!server.isUnderPressure() || isProbe(request.url)) return;
    return refuse(reply, 'This instance is overloaded at the moment.');
  });
}

/** Refuses requests on connections for which there are no file descriptors: the client learns that nothing was sold. */
export function refuseWhenCrowded(server: FastifyInstance, connections: Connections): void {
  server.addHook('onRequest', async (request, reply) => {
    if (!connections.isSurplus(request.raw.socket)) return;
    void reply.header('connection', 'close');
    return refuse(reply, 'Too many clients are connected to this instance. Nothing was sold; try again.');
  });
}

function refuse(reply: FastifyReply, detail: string): FastifyReply {
  const problem = problemOf('busy', detail);
  if (problem) sendProblem(reply, ...problem);
  return reply;
}
