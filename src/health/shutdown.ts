import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type FastifyInstance } from 'fastify';
import { problemOf, sendProblem } from '../http/problem.js';

/** Knows that the instance is on its way out: readiness fails, new work is refused, running work is finished. */
@Injectable()
export class Shutdown implements BeforeApplicationShutdown {
  begun = false;

  beforeApplicationShutdown(): void {
    this.begun = true;
  }

  /** A kept-alive connection would hold the instance back long after its last answer: each answer now closes its own. */
  watch(server: FastifyInstance): void {
    server.addHook('onRequest', async (request, reply) => {
      if (!this.begun || request.url.startsWith('/health')) return;
      const problem = problemOf('busy', 'This instance is shutting down.');
      if (problem) sendProblem(reply, ...problem);
      return reply;
    });
    server.addHook('onSend', async (_request, reply) => {
      if (this.begun) void reply.header('connection', 'close');
    });
  }
}
