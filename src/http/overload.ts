import underPressure from '@fastify/under-pressure';
import { type FastifyInstance, type FastifyReply } from 'fastify';
import { type Connections } from './connections.js';
import { isProbe } from './probes.js';
import { problemOf, sendProblem } from './problem.js';

/** Refuses work, but not questions about its health, while the event loop is so late that waiting is hopeless. */
export async function refuseWhenOverloaded(
  server: FastifyInstance,
  maxEventLoopDelay: number,
): Promise<void> {
  // It only measures. A handler of its own could send an answer, but not keep the request from being carried out.
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
