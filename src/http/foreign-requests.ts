import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type Problem } from '../contract/problem.js';
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
  server.addHook('onRequest', (request, reply, done) => {
    const refusal = isProbe(request.url) ? undefined : refusalOf(request, hosts);
    if (refusal) sendProblem(reply, refusal);
    else done();
  });
}

export function isJson(contentType: string | undefined): boolean {
  return JSON_TYPE.test(contentType ?? '');
}

function refusalOf({ method, headers, is404 }: FastifyRequest, hosts: AllowedHosts): Problem | undefined {
  if (headers.host === undefined) return statusProblem(400, 'The request has no Host header.');
  const refusal = hosts.refusalOf(headers);
  if (refusal !== undefined) return problemOf('forbidden', refusal)?.[0];
  if (!is404 && !READS.has(method) && !isJson(headers['content-type']))
    return statusProblem(415, 'The body must be application/json: send that Content-Type.');
  return undefined;
}
