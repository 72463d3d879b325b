import { type FastifyInstance, type FastifyReply } from 'fastify';
import { type AllowedHosts } from './allowed-hosts.js';
import { isProbe } from './probes.js';
import { problemOf, sendProblem, statusProblem } from './problem.js';

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses requests that a page of another site can make a browser send. A browser sends a form to any site without asking
 * it, but not as application/json.
 */
export function refuseForeignRequests(server: FastifyInstance, hosts: AllowedHosts): void {
  server.addHook('onRequest', async (request, reply) => {
    const { method, headers, is404 } = request;
    if (isProbe(request.url)) return;
    if (headers.host === undefined) {
      return refuse(reply, 400, 'The request has no Host header.');
    }
    const refusal = hosts.refusalOf(headers);
    if (refusal !== undefined) {
      const problem = problemOf('forbidden', refusal);
      if (problem) sendProblem(reply, ...problem);
      return reply;
    }
    if (!is404 && !READS.has(method) && !isJson(headers['content-type'])) {
      return refuse(reply, 415, 'The body must be application/json: send that Content-Type.');
    }
  });
}

export function isJson(contentType: string | undefined): boolean {
  return JSON_TYPE.test(contentType ?? '');
}

function refuse(reply: FastifyReply, status: number, detail: string): FastifyReply {
  sendProblem(reply, statusProblem(status, detail));
  return reply;
}
