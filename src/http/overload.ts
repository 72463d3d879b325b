import underPressure from '@fastify/under-pressure';
import { type FastifyInstance } from 'fastify';
import { problemOf, sendProblem } from './problem.js';

const EXEMPT = /^\/(health|metrics)\b/;

/** Refuses work, but not questions about its health, while the event loop is so late that waiting is hopeless. */
export async function refuseWhenOverloaded(
  server: FastifyInstance,
  maxEventLoopDelay: number,
): Promise<void> {
  // It only measures. A handler of its own could send an answer, but not keep the request from being carried out.
  await server.register(underPressure, { maxEventLoopDelay, pressureHandler: () => undefined });
  server.addHook('onRequest', async (request, reply) => {
    if (!server.isUnderPressure() || EXEMPT.test(request.url)) return;
    const problem = problemOf('busy', 'This instance is overloaded at the moment.');
    if (problem) sendProblem(reply, ...problem);
    return reply;
  });
}
