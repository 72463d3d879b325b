import { type IncomingMessage } from 'node:http';
import { type BearerToken } from '../../http/bearer.js';
import { invalid, Refusal } from './refusal.js';

const BODY_LIMIT = 16 * 1024;
const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * A page of another site must neither steer the lab nor read from it. A browser says whose page asks; a name that
 * was made to point to this machine is not one of the gateway's own.
 */
export function refuseStrangers({ headers: { origin, host = '' } }: IncomingMessage): void {
  if (!isLocal(host)) throw new Refusal(403, 'forbidden', 'The lab answers on this machine only.');
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    throw new Refusal(403, 'forbidden', 'The lab does not talk to pages of other sites.');
  }
}

function isLocal(host: string): boolean {
  return URL.canParse(`http://${host}`) && LOCAL.has(new URL(`http://${host}`).hostname);
}

/** The body of a POST by somebody who may send one. */
export async function admit(request: IncomingMessage, token: BearerToken): Promise<unknown> {
  if (!token.isIn(request.headers.authorization)) {
    throw new Refusal(
      401,
      'unauthorized',
      'This call needs the header Authorization: Bearer <admin token>.',
      {},
      { 'www-authenticate': 'Bearer' },
    );
  }
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Refusal(415, 'invalid-request', 'The body must be application/json.');
  }
  const text = await readBody(request);
  if (text === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('The body is not JSON.');
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) {
      throw new Refusal(413, 'invalid-request', `The body is larger than ${BODY_LIMIT} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
